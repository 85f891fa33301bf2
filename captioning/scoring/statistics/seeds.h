// Scores across training runs that differ in their seed. A score would be another one with other
// seeds, and with other test images. Every run describes the same images, so the two are crossed,
// and the error of a mean has two parts: its variance over seeds, and that over images, which the
// bootstrap estimates with one sample of images for all runs of a replicate. Runs are not
// resampled: two or three, drawn anew, hardly vary more than themselves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/statistics/resampling.h"
#include "captioning/scoring/statistics/student.h"

namespace saccade {

// One training run of an arm, scored. All runs have the same metrics of the same images.
struct SeedRun {
  std::int64_t seed = 0;
  std::vector<ImageStatistics> metrics;
};

struct SeedSpread {
  std::string metric;
  Index seeds = 0;
  double mean = 0;       // of the runs' scores on all images
  double deviation = 0;  // standard deviation of those scores (n - 1); NaN for a single run
  // Of the mean, over seeds and images (Combination::kEachItsOwn). NaN for a single run, whose
  // interval over images bootstrap() gives, and for a single image.
  Interval interval;
  Index undefined = 0;  // resamples of images in which a run has no score (NaN); kMostUndefined
};

// The spread of each metric of an arm. Throws DataError without runs, when a seed appears twice, or
// when the runs differ in metrics or images; otherwise throws what bootstrap() throws.
std::vector<SeedSpread> across_seeds(std::span<const SeedRun> arm,
                                     const Resampling& resampling = {});

// How the runs of two arms are compared, and with it the error of the difference of their means.
enum class SeedPairing {
  // Both arms have the same seeds: the differences of the pairs vary over seeds
  // (Combination::kEachItsOwn).
  kPaired,
  // Each arm varies by itself (Combination::kSatterthwaite).
  kIndependent,
  // One of the arms has a single run. It is taken to vary as the k runs of the other do: the
  // deviation of these times sqrt(1 + 1/k), with k - 1 degrees of freedom (kEachItsOwn).
  kOneRun,
};

struct SeedDifference {
  std::string metric;
  SeedPairing pairing = SeedPairing::kPaired;
  double mean_a = 0, mean_b = 0;
  double difference = 0;  // mean_a - mean_b
  EstimateError error;    // of the difference; unknown where both arms have a single run
  Interval interval;      // of the difference
  double p_value = 1;     // two-sided; 1 where nothing differs
  Index undefined = 0;
};

// The difference of each metric, arm a minus arm b. Both arms have the same images. Throws what
// across_seeds() throws.
std::vector<SeedDifference> compare_seeds(std::span<const SeedRun> a, std::span<const SeedRun> b,
                                          const Resampling& resampling = {});

}  // namespace saccade
