// Scores across training runs that differ in their seed. Two things are left to chance, the seed
// and the images, and they are crossed: all runs describe the same images. Both are drawn again,
// each for itself (the pigeonhole bootstrap: Owen, Annals of Applied Statistics 1, 2007): k runs of
// the k, and one sample of images for all runs of a replicate, which keeps what is common to them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captioning/statistics/resampling.h"

namespace saccade {

// One training run of an arm, scored: all runs by the same metrics on the same images.
struct SeedRun {
  std::int64_t seed = 0;
  std::vector<ImageStatistics> metrics;
};

// Two intervals of a mean over seeds. Few runs, drawn again, span little more than themselves:
// where seeds differ more than images, a 95 % bootstrap interval covers 74 to 84 % of the time with
// 3 runs, 86 to 90 % with 5 and 90 to 94 % with 10 (simulated). Below some ten runs report
// t_interval, which covers 92 % or more there: normal theory, the variance over seeds plus that
// over images, degrees of freedom after Satterthwaite. It is NaN for a single run or image.
struct SeedIntervals {
  Interval bootstrap, t_interval;
};

struct SeedSpread {
  std::string metric;
  Index seeds = 0;
  double mean = 0;       // of the runs' scores on all images
  double deviation = 0;  // of those scores, of the sample (n - 1); NaN for a single run
  SeedIntervals intervals;
  Index undefined = 0;  // replicates without a score (NaN): any leaves the intervals NaN
};

// Of each metric of an arm. Throws DataError without runs, when a seed comes twice or when the runs
// differ in metrics or images; otherwise as bootstrap().
std::vector<SeedSpread> across_seeds(std::span<const SeedRun> arm,
                                     const Resampling& resampling = {});

enum class SeedPairing {
  kPaired,       // both arms have the same seeds: runs of one seed are drawn together
  kIndependent,  // each arm draws its own runs
};

struct SeedDifference {
  std::string metric;
  SeedPairing pairing = SeedPairing::kPaired;
  double mean_a = 0, mean_b = 0;
  double difference = 0;      // mean_a - mean_b
  double standard_error = 0;  // of the difference over seeds, images fixed; NaN for a single run
  SeedIntervals intervals;    // of the difference
  double p_value = 1;         // sign_p_value of the bootstrap's differences: shares its weakness
  double t_p_value = 1;       // two-sided, as t_interval; 1 where nothing differs
  Index undefined = 0;
};

// Of each metric, arm a less arm b; the images are shared by both. Throws as across_seeds().
std::vector<SeedDifference> compare_seeds(std::span<const SeedRun> a, std::span<const SeedRun> b,
                                          const Resampling& resampling = {});

}  // namespace saccade
