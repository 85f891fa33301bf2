// Brings images [B, H, W, C] to finer grids, by bilinear interpolation. One thread per call.
#pragma once

#include <span>

#include "core/base/cell_block.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// Both grids cover the same picture: row i of y lies at (i + 1/2) H / H' - 1/2 of x. There the two
// nearest rows are mixed by their distance, and beyond the middle of the border row its values
// continue. The same holds for columns. x [B, H, W, C] -> y [B, H', W', C]; assigns. Where `read`
// has a block for each image [B], only the cells of x in it are read: its borders are then what the
// borders of the grid are otherwise. No block may be empty.
void upsample(ConstView x, View y, std::span<const CellBlock> read = {});
// dx += the gradient of x, from that of y.
void upsample_backward(ConstView dy, View dx, std::span<const CellBlock> read = {});

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
