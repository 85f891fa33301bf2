// Two-dimensional convolution over images [B, H, W, C] with weights [kh, kw, in, out] (so weight
// [kh * kw * in, out] is the matrix of the same product over patches). One thread a call.
#pragma once

#include "core/tensor/tensor.h"

namespace saccade {

// Pixels of zeros around an image: `before` the first row and column, `after` the last.
struct Padding {
  constexpr Padding() = default;
  constexpr Padding(Index all) : before(all), after(all) {}  // NOLINT(google-explicit-constructor)
  constexpr Padding(Index first, Index last) : before(first), after(last) {}
  constexpr Index both() const { return before + after; }
  auto operator<=>(const Padding&) const = default;

  Index before = 0, after = 0;
};

// The extents of one convolution: the same stride and padding on both axes.
struct ConvShape {
  Index batch = 1, height = 0, width = 0;
  Index in_channels = 0, out_channels = 0;
  Index kernel_height = 1, kernel_width = 1;
  Index stride = 1;
  Padding padding = {};

  Index out_height() const { return (height + padding.both() - kernel_height) / stride + 1; }
  Index out_width() const { return (width + padding.both() - kernel_width) / stride + 1; }
  Shape input() const { return {batch, height, width, in_channels}; }
  Shape output() const { return {batch, out_height(), out_width(), out_channels}; }
  Shape weights() const { return {kernel_height, kernel_width, in_channels, out_channels}; }
  Index patch() const { return kernel_height * kernel_width * in_channels; }
  auto operator<=>(const ConvShape&) const = default;
};

inline namespace SACCADE_NUMERIC {
namespace kernels {

// y[b, i, j, o] = bias[o] + sum_{u, v, c} x[b, i s + u - p, j s + v - p, c] w[u, v, c, o], with x =
// 0 outside the image, p = padding.before. A bias without data stands for none. oneDNN in float,
// Eigen in double.
void conv2d(const ConvShape& shape, ConstView x, ConstView w, ConstView bias, View y);

// dx = the gradient of x from that of y; assigns.
void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx);

// dw += the gradient of w from that of y, and dbias += the sum of dy over positions (where it has
// data).
void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias);

namespace reference {  // patches and Eigen's product, one image at a time
void conv2d(const ConvShape& shape, ConstView x, ConstView w, ConstView bias, View y);
void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx);
void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias);
}  // namespace reference

#ifndef SACCADE_DOUBLE
namespace fast {  // oneDNN, primitives held per thread and shape
void conv2d(const ConvShape& shape, ConstView x, ConstView w, ConstView bias, View y);
void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx);
void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias);
}  // namespace fast
#endif

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
