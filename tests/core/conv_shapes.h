// Convolutions for the tests of their kernels.
#pragma once

#include <cmath>

#include "core/kernels/conv.h"
#include "tests/support/tensor_difference.h"

namespace saccade::test {

inline ConvShape conv_shape(Index batch, Index height, Index width, Index in, Index out,
                            Index kernel_height, Index kernel_width, Index stride, Padding padding,
                            Index groups = 1, Index dilation = 1) {
  return {batch,        height, width,   in,     out,     kernel_height,
          kernel_width, stride, padding, groups, dilation};
}

// Weights as large as a network's: they turn noise into noise of deviation 1.
inline Tensor noisy_weights(const ConvShape& s, std::uint64_t sample) {
  Tensor w = noise(s.weights(), sample);
  for (Real& x : w.span()) x /= std::sqrt(static_cast<Real>(s.patch()));
  return w;
}

}  // namespace saccade::test
