// Gradients that ops leave to phase B, the optimizer step, equal those of the same graph on
// variables.
#include "core/kernels/gemm.h"
#include "core/nn/parameter_store.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "tests/gradcheck/gradcheck.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

// A small recurrent model: weights that every step uses, a table, biases, and fewer rows at each
// step.
enum Weight : int { kTable, kInput, kBias, kRecurrent, kCount };

void declare_all(ParameterStore& store) {
  store.declare("table", {5, 3}, Init::normal(1));
  store.declare("input", {3, 12}, Init::normal(1));
  store.declare("bias", {12}, Init::normal(1), Decay::kNo);
  store.declare("recurrent", {3, 12}, Init::normal(1));
  store.initialise(3);
}

Var build(const std::vector<Var>& w, Var start) {
  const std::vector<int> ids{0, 1, 4, 1, 1, 3};
  const Var gates = ops::linear(ops::embedding(w[kTable], ids), w[kInput], w[kBias]);
  ops::LstmState state{start, start};
  std::vector<Var> hidden;
  Index first = 0;
  for (const Index rows : {3, 2, 1}) {
    const Var step = ops::accumulate_linear(ops::slice_rows(gates, first, rows),
                                            ops::first_rows(state.h, rows), w[kRecurrent]);
    state = ops::lstm_cell(step, ops::first_rows(state.c, rows));
    hidden.push_back(state.h);
    first += rows;
  }
  const Var logits = ops::linear(ops::concat_rows(hidden), w[kRecurrent], w[kBias]);
  return ops::cross_entropy(logits, std::vector<int>{1, 4, 11, 1, 3, 2});
}

}  // namespace

TEST_CASE("the gradients that ops leave for parameters sum up to the direct gradient") {
  ParameterStore store;
  declare_all(store);
  const Tensor start = random_tensor({3, 3}, "start"), cotangent = random_tensor({6}, "cotangent");
  const auto run = [&](Tape& tape, const std::vector<Var>& weights) {
    const std::vector<Var> outputs{build(weights, tape.variable(start.view()))};
    tape.backward(outputs, std::vector<ConstView>{cotangent.view()});
  };

  Arena direct_arena, deferred_arena;
  Tape direct(direct_arena), deferred(deferred_arena);
  std::vector<Var> variables, parameters;
  for (const ConstView& value : store.views()) variables.push_back(direct.variable(value));
  run(direct, variables);
  deferred.set_parameters(store.views());
  for (int i = 0; i < kCount; ++i) parameters.push_back(deferred.parameter(i));
  run(deferred, parameters);

  CHECK(direct.linear_grads().empty());
  CHECK(direct.rows_grads().empty());
  CHECK(deferred.linear_grads().size() == 5);  // input, three steps, output
  CHECK(deferred.rows_grads().size() == 1);
  for (int i = 0; i < kCount; ++i) {
    CAPTURE(store.info(i).name);
    Tensor total(store.info(i).shape);
    if (const ConstView dense = deferred.parameter_grad(i); dense.data)
      std::copy_n(dense.data, dense.size(), total.data());
    for (const LinearGrad& job : deferred.linear_grads())
      if (job.parameter == i) kernels::matmul_tn(job.x, job.dy, total.view(), 1);
    for (const RowsGrad& job : deferred.rows_grads())
      if (job.parameter == i)
        for (std::size_t n = 0; n < job.ids.size(); ++n)
          for (Index c = 0; c < job.dy.cols(); ++c)
            total.view().row(job.ids[n])[c] += job.dy.row(static_cast<Index>(n))[c];
    const View expected = direct.grad(variables[static_cast<std::size_t>(i)]);
    double largest = 0;
    Index wrong = 0;
    for (Index n = 0; n < expected.size(); ++n) {
      largest = std::max(largest, std::abs(expected[n]));
      if (!(std::abs(expected[n] - total[n]) <= 1e-12)) ++wrong;
    }
    CHECK(largest > 0.01);
    CHECK(wrong == 0);
  }
}

TEST_CASE("weights that are not parameters themselves get their gradient on the tape") {
  ParameterStore store;
  store.declare("w", {2, 3}, Init::normal(1));
  store.initialise(1);
  const Tensor x = random_tensor({4, 3}, "x");
  TestTape tape(store.views());
  // A parameter with another shape is an alias of it, whose gradient is added to the whole matrix.
  const Var y = ops::linear(tape.constant(x.view()), ops::reshape(tape.parameter(0), {3, 2}));
  const Tensor cotangent = random_tensor(y.shape(), "cotangent");
  tape.backward(std::vector<Var>{y}, std::vector<ConstView>{cotangent.view()});
  CHECK(tape.linear_grads().empty());
  Tensor expected({3, 2});
  kernels::matmul_tn(x.view(), cotangent.view(), expected.view(), 0);
  const ConstView got = tape.parameter_grad(0);
  REQUIRE(got.size() == expected.size());
  CHECK(std::equal(got.data, got.data + got.size(), expected.data()));
}

TEST_CASE("a gradient that is left for a parameter is not written to afterwards") {
  ParameterStore store;
  store.declare("w", {2, 3}, Init::normal(1));
  store.initialise(1);
  const Tensor x = random_tensor({4, 2}, "x"), u = random_tensor({4, 3}, "u");
  const Tensor cotangent = random_tensor({4, 3}, "cotangent");
  for (const bool active : {false, true}) {
    TestTape tape(store.views());
    const Var in = tape.variable(u.view());
    const Var early = ops::scale(in, 2);
    const Var start = active ? ops::gelu(in) : ops::add(early, in);
    const Var sum = ops::accumulate_linear(start, tape.constant(x.view()), tape.parameter(0));
    tape.backward(std::vector<Var>{sum, early},
                  std::vector<ConstView>{cotangent.view(), cotangent.view()});
    REQUIRE(tape.linear_grads().size() == 1);
    const ConstView dy = tape.linear_grads()[0].dy;
    CHECK(std::ranges::equal(dy.span(), cotangent.span()));
  }
}

}  // namespace saccade::test
