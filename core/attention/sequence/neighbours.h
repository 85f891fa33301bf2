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

// What `mask` permits the positions of every sample, as lists of each sample. A position that its
// sample leaves out and that would see nothing sees itself: nobody reads what becomes of it.
NeighbourLists permitted_neighbours(const AttentionMask& mask, const AttentionExtents& extents);

inline namespace SACCADE_NUMERIC {

// Every position of every sample with the `count` others whose features are most alike (largest
// cosine or smallest Euclidean distance; of equals the earlier), of those that `mask` leaves: all
// where it leaves fewer. features [B, L, D], lists of each sample. The choice is not
// differentiated. Throws ShapeError unless 0 <= count < L.
NeighbourLists nearest_neighbours(ConstView features, Index count, Likeness likeness,
                                  const AttentionMask& mask = {});

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
