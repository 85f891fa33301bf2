// Two-dimensional convolution over images [B, H, W, C] with weights [kh, kw, in, out], so that the
// weights are also the matrix [kh * kw * in, out] of the same product over patches. One thread per
// call, except in the forward pass and scale_weights() where kernels are cut (kernel_parts.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/kernels/activation.h"
#include "core/tensor/tensor.h"

namespace saccade {

// Pixels of zeros around an image: `before` the first row and column, and `after` the last.
struct Padding {
  constexpr Padding() = default;
  constexpr Padding(Index all) : before(all), after(all) {}  // NOLINT(google-explicit-constructor)
  constexpr Padding(Index first, Index last) : before(first), after(last) {}
  constexpr Index both() const { return before + after; }
  auto operator<=>(const Padding&) const = default;

  Index before = 0, after = 0;
};

// The extents of one convolution, with the same stride, dilation and padding on both axes. The
// number of groups divides the channels of input and output; each group of output channels sees
// only its own group of input channels. As many groups as input channels make a depthwise
// convolution.
struct ConvShape {
  Index batch = 1, height = 0, width = 0;
  Index in_channels = 0, out_channels = 0;
  Index kernel_height = 1, kernel_width = 1;
  Index stride = 1;
  Padding padding = {};
  Index groups = 1;
  Index dilation = 1;  // pixels between neighbouring taps of the kernel (Yu and Koltun 2016)

  // The pixels of an axis from the kernel's first tap to its last.
  Index reach(Index kernel) const { return (kernel - 1) * dilation + 1; }
  Index out_height() const { return (height + padding.both() - reach(kernel_height)) / stride + 1; }
  Index out_width() const { return (width + padding.both() - reach(kernel_width)) / stride + 1; }
  Shape input() const { return {batch, height, width, in_channels}; }
  Shape output() const { return {batch, out_height(), out_width(), out_channels}; }
  Index group_in() const { return in_channels / groups; }
  Index group_out() const { return out_channels / groups; }
  Shape weights() const { return {kernel_height, kernel_width, group_in(), out_channels}; }
  // The input numbers that one output number sees.
  Index patch() const { return kernel_height * kernel_width * group_in(); }
  auto operator<=>(const ConvShape&) const = default;
};

inline namespace SACCADE_NUMERIC {
namespace kernels {

// What happens to each sum. A view without data adds nothing.
struct ConvEpilogue {
  ConstView bias;  // [out]
  ConstView skip;  // of y's shape; may be y itself
  Activation activation = Activation::kNone;
  // [out], by which the weights of an output channel are multiplied first. While the weights are
  // held (constant_weights.h), it is the same in every call: their products are kept.
  ConstView gain = {};
};

//   y[b, i, j, o] = f(bias[o] + skip[b, i, j, o] + sum_{u, v, c} x[b, i s + u d - p, j s + v d - p,
//   c]
//                   w[u, v, c, o])
// with x = 0 outside the image, d = dilation, p = padding.before, and c over the channels of o's
// group. oneDNN in float, Eigen in double.
void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue, View y);

// scaled[..., o] = w[..., o] gain[o].
void scale_weights(ConstView w, ConstView gain, View scaled);

// A convolution with its weights.
struct ConvLink {
  ConvShape shape;
  ConstView w;
  ConvEpilogue epilogue = {};
};
// At least two convolutions, each of which reads the result of the one before. The last one adds
// what the block is given or, where there is a shortcut, the result of that convolution of it. No
// epilogue has a skip.
struct ResidualBlock {
  std::vector<ConvLink> links;
  std::optional<ConvLink> shortcut = {};
};
// y = the result of the last of one or several blocks, of which each reads that of the one before;
// all have results of y's shape. x may be y. The optimized version computes a few images at a time,
// which stay in the cache, and cuts nothing (kernel_parts.h).
void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y);

// Where the gradients are written. Those without data are not computed.
struct ConvGradients {
  View dx = {};                      // of x; assigned
  View dw = {};                      // of w; assigned or added to
  View dgain = {};                   // of the gain, where there is one; added to
  View dbias = {};                   // of the bias; added to (by the versions below: beside dw)
  Write write = Write::kAccumulate;  // to dw
};
// The gradients, from dy, that of the sums. `gain` as in ConvEpilogue.
void conv2d_backward(const ConvShape& shape, ConstView x, ConstView w, ConstView dy,
                     const ConvGradients& gradients, ConstView gain = {});

namespace reference {  // patches and Eigen's product, one image at a time
void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue, View y);
void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y);
void conv2d_backward(const ConvShape& shape, ConstView x, ConstView w, ConstView dy,
                     const ConvGradients& gradients, ConstView gain = {});
}  // namespace reference

#ifndef SACCADE_DOUBLE
namespace optimized {  // oneDNN, primitives held per thread and shape
void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue, View y);
void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y);
void conv2d_backward(const ConvShape& shape, ConstView x, ConstView w, ConstView dy,
                     const ConvGradients& gradients, ConstView gain = {});
}  // namespace optimized
#endif

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
