// Statistics of hard attention's estimator, which are watched while it trains.
#pragma once

#include <set>
#include <vector>

#include "captioning/learning/objectives/caption_loss.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Sums over shards.
class EstimatorSums {
 public:
  EstimatorSums() = default;
  // Sums that figures() gave, added up over shards.
  explicit EstimatorSums(std::span<const double> figures);

  // Must be called after shard.backward().
  void add(const ShardLoss& shard);
  // All sums, as numbers that may be added to those of other shards.
  std::vector<double> figures() const;

  struct Statistics {
    double expectation_share = 0;   // share of captions that took the expectation
    double advantage = 0;           // mean over the choices that were drawn
    double advantage_variance = 0;  // over these choices
    // The mean squared distance of the gradients from their mean, in score space, with one gradient
    // per choice: advantage (s - alpha).
    double gradient_variance = 0;
    double distinct_cells = 0;  // regions that a drawn caption visits, as a share of its words
    double entropy = 0;  // of the weights / log L, for L choices; mean over all words and heads
  };
  Statistics statistics() const;

 private:
  // What belongs to the draw of one row.
  struct DrawOf {
    Index choices = 0;  // the number of unmasked regions, and 1 more for a sentinel or for none
    double advantage = 0;
    std::set<int>* visited = nullptr;  // by the caption
  };
  void add_draw(const RegionDraws& draw, std::size_t head, Index row, const DrawOf& of);

  double captions_ = 0, expectations_ = 0;
  double draws_ = 0, advantage_ = 0, square_ = 0, norm_ = 0;
  double visited_ = 0, drawn_captions_ = 0;
  double words_ = 0, entropy_ = 0;
  std::vector<double> gradient_;  // [H L] sum
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
