// Steps of recurrent cells against PyTorch, with the same weights and inputs.
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "tests/golden/golden_module.h"
#include "tests/support/test_tape.h"

namespace saccade::cells_test {

using test::golden_difference;
using test::golden_tensor;
using test::kGoldenTolerance;

namespace {

constexpr Index kRows = 3, kInputs = 5, kHidden = 4;

// What a cell with `gates` gates gets from its input and from the state before.
struct CellWeights {
  CellWeights(ParameterStore& store, const std::string& name, Index gates)
      : input(ParamScope(store, "input"), {kInputs, gates * kHidden}),
        state(ParamScope(store, "state"), {kHidden, gates * kHidden}),
        module(name, store,
               {{"input.weight", "weight_ih"},
                {"input.bias", "bias_ih"},
                {"state.weight", "weight_hh"},
                {"state.bias", "bias_hh"}}) {}
  Dense input, state;
  test::GoldenModule module;
};

}  // namespace

TEST_CASE("an LSTM step equals PyTorch's, forward and backward") {
  ParameterStore store;
  const CellWeights weights(store, "lstm", 4);
  const Shape state_shape{kRows, kHidden};
  const Tensor x = golden_tensor("lstm/x", {kRows, kInputs}, 2),
               h = golden_tensor("lstm/h", state_shape, 2),
               c = golden_tensor("lstm/c", state_shape, 2);
  test::TestTape tape(store.views());
  const Var vars[] = {tape.variable(x.view()), tape.variable(h.view()), tape.variable(c.view())};
  const Var gates = ops::add(weights.input(tape, vars[0]), weights.state(tape, vars[1]));
  const ops::LstmState state = ops::lstm_cell(gates, vars[2]);
  CHECK(golden_difference("lstm/output0", state.h.value().span()) <= kGoldenTolerance);
  CHECK(golden_difference("lstm/output1", state.c.value().span()) <= kGoldenTolerance);
  const Tensor dh = golden_tensor("lstm/cotangent0", state_shape, 1),
               dc = golden_tensor("lstm/cotangent1", state_shape, 1);
  tape.backward(std::vector{state.h, state.c}, std::vector<ConstView>{dh.view(), dc.view()});
  CHECK(golden_difference("lstm/gradient/x", tape.grad(vars[0]).span()) <= kGoldenTolerance);
  CHECK(golden_difference("lstm/gradient/h", tape.grad(vars[1]).span()) <= kGoldenTolerance);
  CHECK(golden_difference("lstm/gradient/c", tape.grad(vars[2]).span()) <= kGoldenTolerance);
  weights.module.check_gradients(tape);
}

TEST_CASE("a GRU step equals PyTorch's, forward and backward") {
  ParameterStore store;
  const CellWeights weights(store, "gru", 3);
  const Shape state_shape{kRows, kHidden};
  const Tensor x = golden_tensor("gru/x", {kRows, kInputs}, 2),
               h = golden_tensor("gru/h", state_shape, 2);
  test::TestTape tape(store.views());
  const Var vars[] = {tape.variable(x.view()), tape.variable(h.view())};
  const Var next =
      ops::gru_cell(weights.input(tape, vars[0]), weights.state(tape, vars[1]), vars[1]);
  CHECK(golden_difference("gru/output0", next.value().span()) <= kGoldenTolerance);
  const Tensor cotangent = golden_tensor("gru/cotangent0", state_shape, 1);
  tape.backward(std::vector{next}, std::vector<ConstView>{cotangent.view()});
  CHECK(golden_difference("gru/gradient/x", tape.grad(vars[0]).span()) <= kGoldenTolerance);
  CHECK(golden_difference("gru/gradient/h", tape.grad(vars[1]).span()) <= kGoldenTolerance);
  weights.module.check_gradients(tape);
}

}  // namespace saccade::cells_test
