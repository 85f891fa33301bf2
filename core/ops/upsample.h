// Interpolates grids of features to the extents of a finer grid.
#pragma once

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

// Bilinear interpolation; pixel centres lie half a pixel from the border (kernels/upsample.h):
// y[b, i, j] = sum_{p, q} max(0, 1 - |r_i - p|) max(0, 1 - |c_j - q|) x[b, p, q] with
// r_i = (i + 1/2) H / rows - 1/2, clamped to 0 .. H - 1, and c_j likewise.
// x [B, H, W, C], rows >= H, cols >= W -> [B, rows, cols, C].
Var upsample(Var x, Index rows, Index cols);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
