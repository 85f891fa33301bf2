// How hard attention's estimator behaves: what a researcher watches while it trains.
#pragma once

#include <vector>

#include "captioning/objectives/caption_loss.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Sums over shards, in order.
class EstimatorSums {
 public:
  // After shard.backward().
  void add(const ShardLoss& shard);

  struct Report {
    double expectation_share = 0;   // of captions that looked at their expectation
    double advantage = 0;           // mean over the choices that were drawn
    double advantage_variance = 0;  // over them
    // Of the gradient in score space that one choice gives, advantage (s - alpha): the mean of its
    // squared distance from the mean.
    double gradient_variance = 0;
    double distinct_cells = 0;  // regions a drawn caption visits, as a share of its words
    double entropy = 0;  // of the weights over log L, L regions that count; mean over all words
  };
  Report report() const;

 private:
  double captions_ = 0, expectations_ = 0;
  double draws_ = 0, advantage_ = 0, square_ = 0, norm_ = 0;
  std::vector<double> gradient_;  // [L] sum
  double visited_ = 0, drawn_captions_ = 0;
  double words_ = 0, entropy_ = 0;
};

// Sums over updates, each counting the same.
struct EstimatorMeans {
  EstimatorSums::Report sums{};
  Index updates = 0;

  void add(const EstimatorSums::Report& report);
  EstimatorSums::Report means() const;  // of at least one update
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
