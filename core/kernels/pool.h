// Pooling over square windows of images [B, H, W, C]. One thread per call, except for max_pool and
// avg_pool where kernels are cut (kernel_parts.h).
#pragma once

#include <span>

#include "core/tensor/tensor.h"

namespace saccade {

// Windows of `kernel` x `kernel` pixels, one every `stride` pixels. The padding, below kernel
// pixels on every side, counts in no window's maximum or mean.
struct PoolShape {
  Index batch = 1, height = 0, width = 0, channels = 0;
  Index kernel = 2, stride = 2, padding = 0;

  Index out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  Index out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  Shape input() const { return {batch, height, width, channels}; }
  Shape output() const { return {batch, out_height(), out_width(), channels}; }
};

inline namespace SACCADE_NUMERIC {
namespace kernels {

// y = the largest number of each window. where[i] is the pixel of its image (row * width + column)
// that y[i] came from, and of equal ones the first. A NaN counts as the largest number.
void max_pool(const PoolShape& shape, ConstView x, View y, std::span<int> where);
// dx at the chosen pixels += dy.
void max_pool_backward(const PoolShape& shape, std::span<const int> where, ConstView dy, View dx);

// y = the mean of each window's pixels inside the image.
void avg_pool(const PoolShape& shape, ConstView x, View y);
// dx += dy / the number of pixels of the window.
void avg_pool_backward(const PoolShape& shape, ConstView dy, View dx);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
