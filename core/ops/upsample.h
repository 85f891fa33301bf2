// Interpolates grids of features to the extents of a finer grid.
#pragma once

#include <span>

#include "core/autograd/tape.h"
#include "core/base/cell_block.h"
#include "core/base/grid_size.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// Bilinear interpolation; pixel centres lie half a pixel from the border (kernels/upsample.h):
// y[b, i, j] = sum_{p, q} max(0, 1 - |r_i - p|) max(0, 1 - |c_j - q|) x[b, p, q] with
// r_i = (i + 1/2) H / to.rows - 1/2, clamped to 0 .. H - 1, and c_j likewise. If `read` is given,
// with a block of cells of x for each image [B], these are clamped to the rows and columns of the
// block, so that no other cell is read. x [B, H, W, C], to.rows >= H, to.cols >= W -> [B, to.rows,
// to.cols, C].
Var upsample(Var x, const GridSize& to, std::span<const CellBlock> read = {});

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
