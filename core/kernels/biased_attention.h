// Attention within windows, with a number for each pair of places (ops/biased_attention.h).
#pragma once

#include <span>

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

struct BiasedWindows {
  Index count = 0, places = 0, heads = 0, width = 0;  // N, T, H, d
  // Of every place of some windows, which repeat; empty: all places are of one part.
  std::span<const int> parts{};
};

struct BiasedInputs {
  ConstView q, k, v;  // [N, T, H d]
  ConstView bias;     // [T T, H] of all windows, or [N T T, H]

  // The number of the first pair of a window in the bias.
  Index first_pair(const BiasedWindows& windows, Index window) const {
    const Index pairs = windows.places * windows.places;
    return bias.size() > pairs * windows.heads ? window * pairs : 0;
  }
};

// out [N, T, H d].
void biased_attention(const BiasedWindows& windows, const BiasedInputs& in, View out);

// The weights themselves, out [N, H, T, T].
void biased_attention_weights(const BiasedWindows& windows, const BiasedInputs& in, View out);

// The gradients, which are added to; those without data are not wanted.
struct BiasedGradients {
  View dq, dk, dv, dbias;
};
void biased_attention_backward(const BiasedWindows& windows, const BiasedInputs& in, ConstView dout,
                               const BiasedGradients& gradients);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
