// Graphs over the positions of a sequence, as lists of neighbours, each of which holds the position
// itself.
#pragma once

#include <vector>

#include "core/base/grid_size.h"
#include "core/kernels/attention_mask.h"
#include "core/tensor/tensor.h"

namespace saccade {

// The lists; a mask of pattern kNeighbours borrows them.
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

// The cells of a grid in reading order. The neighbours of a cell share a side with it (kFour), or a
// side or a corner (kEight).
NeighbourLists grid_neighbours(const GridSize& grid, GridNeighbours kind);

// The positions that `mask` permits, as lists for every sample. A position that its sample leaves
// out, and that would attend to nothing, attends to itself; its output is not read.
NeighbourLists permitted_neighbours(const AttentionMask& mask, const AttentionExtents& extents);

inline namespace SACCADE_NUMERIC {

// The neighbours of every position of every sample: the `count` other positions whose features [B,
// L, D] are the most similar (by the largest cosine or the smallest Euclidean distance; of equal
// ones, the earlier). Only positions that `mask` leaves are taken, and all of them where there are
// fewer. The choice has no gradient. Throws ShapeError unless 0 <= count < L.
NeighbourLists nearest_neighbours(ConstView features, Index count, Likeness likeness,
                                  const AttentionMask& mask = {});

// The same among earlier positions: the neighbours of each of the last `queries` positions of every
// sample are itself and the `count` most similar positions before it, or all of them where there
// are fewer. Other positions have themselves alone. Throws ShapeError unless 0 <= count and 1 <=
// queries
// <= L.
NeighbourLists nearest_earlier(ConstView features, Index count, Likeness likeness, Index queries);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
