// How much the heads of a model do the same: the correlation of their maps.
#pragma once

#include <span>
#include <vector>

#include "core/attention/head_profile.h"

namespace saccade {

// Adds up maps of N heads, picture by picture.
class HeadCorrelation {
 public:
  // The maps of all heads for one picture, which have the same size and the same masks. The rows
  // and columns that count are those of head_profile.h.
  void add(std::span<const MaskedMap> heads);
  // [N, N]: Pearson's correlation of two heads' weights after each row has lost its mean, over all
  // rows of all pictures, so that heads correlate that move weight to the same places. Weights are
  // |w| over the sum of their row. NaN for a head whose rows are all flat.
  std::vector<double> matrix() const;
  std::size_t heads() const { return heads_; }

 private:
  std::size_t heads_ = 0;
  std::vector<double> products_;  // [N, N], of the weights without their row's mean
  std::vector<double> squares_;   // [N], of the weights with it
};

}  // namespace saccade
