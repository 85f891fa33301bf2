// Brings images [B, H, W, C] to finer grids, by bilinear interpolation. One thread per call.
#pragma once

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// Both grids cover the same picture: row i of y lies at (i + 1/2) H / H' - 1/2 of x. There the two
// nearest rows are mixed by their distance, and beyond the middle of the border row its values
// continue. The same holds for columns. x [B, H, W, C] -> y [B, H', W', C]; assigns.
void upsample(ConstView x, View y);
// dx += the gradient of x, from that of y.
void upsample_backward(ConstView dy, View dx);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
