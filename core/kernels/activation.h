// Functions that may follow a sum in the same pass: relu and relu6, with their gradients.
#pragma once

#include <type_traits>

#include "core/kernels/pointwise.h"
#include "core/tensor/tensor.h"

namespace saccade {

// kRelu6: min(max(x, 0), 6) (Howard et al. 2017).
enum class Activation { kNone, kRelu, kRelu6 };

inline namespace SACCADE_NUMERIC {
namespace kernels {

// f(value).
template <Activation f>
constexpr Real activated(Real value) {
  if constexpr (f == Activation::kNone) return value;
  if constexpr (f == Activation::kRelu) return value > 0 ? value : Real{0};
  const Real positive = value > 0 ? value : Real{0};
  return positive < 6 ? positive : Real{6};
}

// Whether a gradient passes f where its output is y.
template <Activation f>
constexpr bool passes(Real y) {
  if constexpr (f == Activation::kNone) return true;
  if constexpr (f == Activation::kRelu) return y > 0;
  return y > 0 && y < 6;
}

// Calls body(std::integral_constant<Activation, f>), so that inner loops know f when they are
// compiled.
template <class Body>
void with_activation(Activation f, Body body) {
  switch (f) {
    case Activation::kNone:
      return body(std::integral_constant<Activation, Activation::kNone>{});
    case Activation::kRelu:
      return body(std::integral_constant<Activation, Activation::kRelu>{});
    case Activation::kRelu6:
      return body(std::integral_constant<Activation, Activation::kRelu6>{});
  }
}

// y = f(y)
void activate(Activation f, View y);
// d = dy where f lets the gradient pass, else 0. y is f's output. d may be dy.
void activation_backward(Activation f, ConstView y, ConstView dy, View d);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
