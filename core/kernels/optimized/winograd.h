// Winograd's minimal filtering F(4 x 4, 3 x 3) (Lavin and Gray 2016, section 4.2): convolutions
// with kernels of 3 x 3 pixels and stride 1, with a quarter of the multiplications. It serves
// processors on which oneDNN has none and, everywhere, kernels that are cut (kernel_parts.h). Its
// errors are about 1e-6 of a typical result.
#pragma once

#include "core/kernels/conv.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized::winograd {

// Whether the shape is of this kind, with enough tiles to share the transform of the weights.
bool pays(const ConvShape& shape);
// The same where kernels are cut: the parts share the transform of the weights, so fewer tiles are
// enough. It is true for every shape for which oneDNN's is used elsewhere.
bool pays_in_parts(const ConvShape& shape);

// They compute what the functions of the same names in kernels do, for shapes that pay. One thread
// per call, except where kernels are cut.
void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue, View y);
void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx);
void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias);

}  // namespace kernels::optimized::winograd
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
