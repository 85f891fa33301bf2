// Graphs over the positions of a sequence: lists of neighbours, each with the position itself.
#pragma once

#include <vector>

#include "core/kernels/attention_mask.h"
#include "core/tensor/tensor.h"

namespace saccade {

// Lists that a mask of pattern kNeighbours borrows.
struct NeighbourLists {
  std::vector<Index> starts;
  std::vector<int> neighbours;
  AttentionMask mask() const {
    return {
        .pattern = AttentionMask::Pattern::kNeighbours, .starts = starts, .neighbours = neighbours};
  }
};

enum class GridNeighbours { kFour, kEight };
enum class Likeness { kCosine, kEuclidean };

// The cells of a grid in reading order: each with those that share a side (kFour) or a corner
// (kEight).
NeighbourLists grid_neighbours(Index rows, Index cols, GridNeighbours kind);

inline namespace SACCADE_NUMERIC {

// Every position of every sample with the `count` others whose features are most alike (largest
// cosine or smallest Euclidean distance; of equals the earlier): features [B, L, D], lists of each
// sample. The choice is not differentiated. Throws ShapeError unless 0 <= count < L.
NeighbourLists nearest_neighbours(ConstView features, Index count, Likeness likeness);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
