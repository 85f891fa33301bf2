// Convolutions whose weights are multiplied by a gain, for versions that know only plain weights.
#pragma once

#include "core/kernels/conv.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

Tensor scaled_weights(ConstView w, ConstView gain);
inline ConvEpilogue without_gain(ConvEpilogue epilogue) {
  epilogue.gain = {};
  return epilogue;
}

// The gradients of w and of the gain, from that of their products.
void gain_backward(ConstView w, ConstView gain, ConstView dscaled, const ConvGradients& gradients);

// Calls body(weights, gradients) with the products and the memory for their gradient.
template <class Body>
void with_scaled_weights(ConstView w, ConstView gain, const ConvGradients& gradients, Body body) {
  if (!gain.data) return body(w, gradients);
  ConvGradients of_products{.dx = gradients.dx, .dbias = gradients.dbias, .write = Write::kAssign};
  const bool to_weights = gradients.dw.data || gradients.dgain.data;
  Tensor dscaled(to_weights ? w.shape : Shape{0});
  if (to_weights) of_products.dw = dscaled.view();
  body(gradients.dx.data ? scaled_weights(w, gain).view() : w, of_products);
  if (to_weights) gain_backward(w, gain, dscaled.view(), gradients);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
