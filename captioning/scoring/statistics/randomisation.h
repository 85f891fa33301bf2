// Approximate randomisation: are two systems exchangeable on every image? The test assumes nothing
// about the metric, and not that the images are a sample of anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/statistics/resampling.h"

namespace saccade {

struct Randomisation {
  Index replicates = 10000;
  std::uint64_t seed = 0;
};

enum class PValueKind { kSampled, kExact };

struct RandomisationTest {
  std::string metric;
  double difference = 0;  // a - b on all images
  // Two-sided; NaN when a or b or too many replicates have no score, and for a single image.
  double p_value = 1;
  Index undefined = 0;  // replicates without a score, which are left out (kMostUndefined)
  PValueKind kind = PValueKind::kSampled;
};

// Exchanges the outputs of a and b image by image with probability 1/2, and counts the k replicates
// whose |difference| is at least the observed one: p = (k + 1) / (replicates + 1) (Noreen 1989;
// Riezler & Maxwell 2005). All metrics share the exchanges. Where 2^images <= replicates, every
// exchange is made once instead, and p = k / 2^images is exact. Differences that are equal except
// for rounding (1e-10 of the scores) count as equal. Throws DataError without images or metrics or
// when those of a and b differ, and UsageError without replicates.
std::vector<RandomisationTest> randomisation_test(std::span<const ImageStatistics> a,
                                                  std::span<const ImageStatistics> b,
                                                  const Randomisation& randomisation = {});

}  // namespace saccade
