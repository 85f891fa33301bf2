// Ops that place weights by position: around a point of the grid, on from the region that the query
// before took, or among regions that have none. There are R rows (queries) and L regions.
#pragma once

#include <span>

#include "core/autograd/tape.h"
#include "core/base/grid_size.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// A grid, and the standard deviations of a window on it, in cells.
struct GridWindow {
  GridSize grid{.rows = 1, .cols = 1};
  Real row_sigma = 1, col_sigma = 1;  // above 0
};
// weights[r, l] exp(-(row_l - centre[r, 0])^2 / (2 row_sigma^2)
//                   -(col_l - centre[r, 1])^2 / (2 col_sigma^2))
// where row_l and col_l count from 0 in row-major order (Luong et al. 2015, eq. 10, in two
// dimensions). An axis of one cell has factor 1. weights [R, cells], centre [R, 2] in cells ->
// the shape of weights.
Var gaussian_window(Var weights, Var centre, const GridWindow& window);

// The expected alignment of hard monotonic attention (Raffel et al. 2017, eq. 8-11). The query goes
// on from where `previous` left it and stops at region j with probability stop[r, j]:
//   q_j = (1 - stop_{j-1}) q_{j-1} + previous_j,  y_j = stop_j q_j,  q_0 = previous_0.
// Rows sum to less than 1 where a query may pass all regions. stop, in [0, 1] (0 and 1 included),
// and previous are [R, L] -> [R, L].
Var monotonic_alignment(Var stop, Var previous);

// Weights of a few regions among those of all L: y[r, regions[r, w]] = weights[r, w], and 0
// elsewhere; where a row names a region twice, its weights are added. weights [R, W], regions [R,
// W], or [W] for all rows -> [R, L]. Throws ShapeError on another number of regions and on regions
// outside of L.
Var place_regions(Var weights, std::span<const int> regions, Index count);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
