// Statistics of hard attention's estimator, which are watched while it trains.
#pragma once

#include <vector>

#include "captioning/objectives/caption_loss.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Sums over shards, in order.
class EstimatorSums {
 public:
  // Must be called after shard.backward().
  void add(const ShardLoss& shard);

  struct Statistics {
    double expectation_share = 0;   // share of captions that took the expectation
    double advantage = 0;           // mean over the choices that were drawn
    double advantage_variance = 0;  // over these choices
    // The mean squared distance of the gradients from their mean, in score space, with one gradient
    // per choice: advantage (s - alpha).
    double gradient_variance = 0;
    double distinct_cells = 0;  // regions that a drawn caption visits, as a share of its words
    double entropy = 0;  // of the weights / log L, for L unmasked regions; mean over all words
  };
  Statistics statistics() const;

 private:
  double captions_ = 0, expectations_ = 0;
  double draws_ = 0, advantage_ = 0, square_ = 0, norm_ = 0;
  std::vector<double> gradient_;  // [L] sum
  double visited_ = 0, drawn_captions_ = 0;
  double words_ = 0, entropy_ = 0;
};

// Sums over updates, each of which counts the same.
struct EstimatorMeans {
  EstimatorSums::Statistics sums{};
  Index updates = 0;

  void add(const EstimatorSums::Statistics& update);
  EstimatorSums::Statistics means() const;  // needs at least one update
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
