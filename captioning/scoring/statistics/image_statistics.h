// What a metric knows of each image, as rows that can be added up. BLEU and METEOR are scored from
// sums and not from means of sentence scores, while ROUGE-L and CIDEr are means. Both fit here, so
// every test of this folder resamples rows and scores their sums.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/metrics/bleu.h"
#include "captioning/scoring/metrics/meteor/stats.h"
#include "core/base/real.h"

namespace saccade {

struct ImageStatistics {
  std::string metric;
  Index images = 0, width = 0;
  // [images, width]. Metrics that are made from the same counts share their rows.
  std::shared_ptr<const std::vector<double>> rows;
  // The score of a multiset of images, from the sum of their rows [width] and their number. It is
  // called from several threads at once. NaN means that these images have no score.
  std::function<double(std::span<const double> sums, Index images)> score;

  std::span<const double> row(std::size_t image) const;  // [width]
  std::vector<double> sums() const;                      // of all rows [width]
  // The score of all images, each of which counts once. Throws what check() throws.
  double whole() const;
  // Throws DataError without images, and ShapeError when rows are not [images, width].
  void check() const;
};

// A metric that is the mean of its images' scores.
ImageStatistics mean_statistics(std::string metric, std::span<const double> scores);

// A metric that is a share of counts: for image i, parts[i] of wholes[i]. NaN for images with
// nothing to count. Throws ShapeError where there are not as many parts as wholes.
ImageStatistics ratio_statistics(std::string metric, std::span<const double> parts,
                                 std::span<const double> wholes);

// The names and scores of named_bleu, in its order, over the same rows. Throws DataError as check()
// does.
std::vector<ImageStatistics> bleu_statistics(std::span<const BleuCounts> counts);

// METEOR, from the images' statistics against their best references. Throws DataError as check()
// does.
ImageStatistics meteor_statistics(std::span<const MeteorStats> images);

// Throws DataError unless a and b hold the same metrics of the same number of images, in the same
// order and with rows of the same width.
void check_same_metrics(std::span<const ImageStatistics> a, std::span<const ImageStatistics> b);

}  // namespace saccade
