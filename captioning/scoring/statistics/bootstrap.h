// The bootstrap over images: how far a score, or the difference of two systems on the same images,
// would move with another sample of images (CIDEr's document frequencies stay those of the whole
// corpus). The models are held fixed; seeds.h also counts the chance in training. A single image
// says nothing about others: its intervals are NaN.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/statistics/resampling.h"

namespace saccade {

struct ScoreInterval {
  std::string metric;
  double score = 0;  // of all images
  Interval interval;
  // Replicates without a score (NaN): left out, or the interval is NaN (kMostUndefined).
  Index undefined = 0;
};

// The interval of each metric of one system: the percentile interval, and of a rate Wilson's
// (rates.h). Throws DataError without metrics or images, and
// UsageError for replicates or a level that give no interval.
std::vector<ScoreInterval> bootstrap(std::span<const ImageStatistics> system,
                                     const Resampling& resampling = {});

struct PairedDifference {
  std::string metric;
  double score_a = 0, score_b = 0;
  double difference = 0;  // a - b
  Interval interval;      // of the difference
  double variance = 0;    // of the difference, over images
  Index undefined = 0;    // as above
};

// The paired bootstrap (Koehn, EMNLP 2004) for each metric of two systems, which are scored on the
// same resampled images. It gives intervals and no p-value: as a test it finds differences where
// there are none more often than randomisation_test() does (Riezler & Maxwell 2005). Systems that
// are equal everywhere differ by 0. Throws what bootstrap() throws, and DataError when the metrics
// or images of a and b differ.
std::vector<PairedDifference> paired_bootstrap(std::span<const ImageStatistics> a,
                                               std::span<const ImageStatistics> b,
                                               const Resampling& resampling = {});
}  // namespace saccade
