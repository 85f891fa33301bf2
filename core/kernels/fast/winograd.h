// Winograd's minimal filtering F(4 x 4, 3 x 3) (Lavin and Gray 2016, section 4.2): convolutions
// with kernels of 3 x 3 pixels and stride 1 by a quarter of the multiplications. For processors on
// which oneDNN has none; errors are some 1e-6 of a typical result.
#pragma once

#include "core/kernels/conv.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::fast::winograd {

// Whether a shape is of the kind, and its tiles are enough to share the transform of the weights.
bool pays(const ConvShape& shape);

// As their namesakes of kernels, for shapes that pay. One thread a call.
void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue, View y);
void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx);
void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias);

}  // namespace kernels::fast::winograd
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
