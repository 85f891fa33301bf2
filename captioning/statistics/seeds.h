// Scores across training runs that differ in their seed. A score would be another one with other
// seeds, and with other test images. Every run describes the same images, so the two are crossed.
// They are resampled independently of each other (the pigeonhole bootstrap: Owen, Annals of Applied
// Statistics 1, 2007): k of the k runs, and one sample of images for all runs of a replicate, which
// keeps what the runs have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captioning/statistics/resampling.h"

namespace saccade {

// One training run of an arm, scored. All runs have the same metrics of the same images.
struct SeedRun {
  std::int64_t seed = 0;
  std::vector<ImageStatistics> metrics;
};

// Two intervals of a mean over seeds. A few runs, resampled, hardly vary more than themselves:
// where seeds differ more than images, a 95 % bootstrap interval covers 74 to 84 % of the time with
// 3 runs, 86 to 90 % with 5, and 90 to 94 % with 10 (simulated). With fewer than about ten runs,
// report t_interval, which covers at least 92 % there. It is normal theory: the variance over seeds
// plus that over images, with Satterthwaite's degrees of freedom. It is NaN for a single run. Both
// are NaN for a single image.
struct SeedIntervals {
  Interval bootstrap, t_interval;
};

struct SeedSpread {
  std::string metric;
  Index seeds = 0;
  double mean = 0;       // of the runs' scores on all images
  double deviation = 0;  // standard deviation of those scores (n - 1); NaN for a single run
  SeedIntervals intervals;
  Index undefined = 0;  // replicates without a score (NaN); any of them makes the intervals NaN
};

// The spread of each metric of an arm. Throws DataError without runs, when a seed appears twice, or
// when the runs differ in metrics or images; otherwise throws what bootstrap() throws.
std::vector<SeedSpread> across_seeds(std::span<const SeedRun> arm,
                                     const Resampling& resampling = {});

enum class SeedPairing {
  kPaired,       // both arms have the same seeds, and runs of one seed are drawn together
  kIndependent,  // each arm draws its own runs
};

struct SeedDifference {
  std::string metric;
  SeedPairing pairing = SeedPairing::kPaired;
  double mean_a = 0, mean_b = 0;
  double difference = 0;      // mean_a - mean_b
  double standard_error = 0;  // over seeds, for fixed images; NaN for a single run
  SeedIntervals intervals;    // of the difference
  double p_value = 1;    // sign_p_value of the bootstrap's differences; as weak as its interval
  double t_p_value = 1;  // two-sided, for t_interval; 1 where nothing differs
  Index undefined = 0;
};

// The difference of each metric, arm a minus arm b. Both arms have the same images. Throws what
// across_seeds() throws.
std::vector<SeedDifference> compare_seeds(std::span<const SeedRun> a, std::span<const SeedRun> b,
                                          const Resampling& resampling = {});

}  // namespace saccade
