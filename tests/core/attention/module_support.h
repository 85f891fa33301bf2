// Runs and differentiates a module over sequences whose weights are drawn at random.
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/parameter_store.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"

namespace saccade::test {

// Draws every parameter from N(0, 1/4), gains and biases too, so that nothing is hidden by a 0 or
// 1.
inline void randomise(ParameterStore& store) {
  store.initialise(1);
  Random random({4, Stream::kTest, 0, 0});
  for (const ParameterInfo& info : store.infos())
    for (Index i = 0; i < info.shape.size(); ++i)
      store.flat()[info.offset + i] = static_cast<Real>(random.normal() / 2);
}

// The value that `run` computes on a tape that does not record.
inline Tensor value_of(const ParameterStore& store, const std::function<Var(Tape&)>& run) {
  TestTape tape(store.views(), Recording::kNo);
  const Var y = run(tape);
  return {y.shape(), y.value().span()};
}

// The largest difference between the gradients of <cotangent, run()> by the parameters and central
// differences.
inline double gradient_error(ParameterStore& store, const std::function<Var(Tape&)>& run) {
  const Tensor first = value_of(store, run);
  const Tensor cotangent = noise(first.shape(), 99);
  const std::vector<double> numeric = numeric_gradient(store, [&] {
    const Tensor y = value_of(store, run);
    double total = 0;
    for (Index i = 0; i < y.size(); ++i) total += double{cotangent[i]} * double{y[i]};
    return total;
  });
  TestTape tape(store.views());
  const Var y = run(tape);
  tape.backward(std::vector{y}, std::vector{cotangent.view()});
  const std::vector<Real> analytic = parameter_gradients(tape, store);
  REQUIRE(norm(numeric) > 0.1);
  return largest_difference(numeric, {analytic.begin(), analytic.end()});
}

}  // namespace saccade::test
