// The LSTM's step and multi-head attention against torch's: the same weights and inputs.
#include "core/attention/sequence/multi_head_attention.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "tests/golden/golden.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

using test::golden_difference;

namespace {

constexpr double kTolerance = 1e-4;

Tensor golden_tensor(const std::string& name, const Shape& shape, double scale) {
  return Tensor(shape, test::golden_numbers(name, shape.size(), scale));
}

std::vector<Real> transposed(ConstView matrix) { return to_torch(TorchLayout::kMatrix, matrix); }

}  // namespace

TEST_CASE("an LSTM step is torch's, forward and back") {
  const auto matrix = [](const std::string& name, Index in) {
    Tensor ours({in, 16});
    from_torch(TorchLayout::kMatrix, test::golden_weight("lstm." + name, {16, in}), ours.view());
    return ours;
  };
  const Tensor wx = matrix("weight_ih", 5), wh = matrix("weight_hh", 4);
  const auto bias = [](const std::string& name) {
    return Tensor({16}, test::golden_weight("lstm." + name, {16}));
  };
  const Tensor bx = bias("bias_ih"), bh = bias("bias_hh");
  const Tensor x = golden_tensor("lstm/x", {3, 5}, 2), h = golden_tensor("lstm/h", {3, 4}, 2),
               c = golden_tensor("lstm/c", {3, 4}, 2);
  Arena arena;
  Tape tape(arena);
  const Var vars[] = {tape.variable(x.view()),  tape.variable(h.view()),  tape.variable(c.view()),
                      tape.variable(wx.view()), tape.variable(wh.view()), tape.variable(bx.view()),
                      tape.variable(bh.view())};
  const Var gates =
      ops::add(ops::linear(vars[0], vars[3], vars[5]), ops::linear(vars[1], vars[4], vars[6]));
  const ops::LstmState state = ops::lstm_cell(gates, vars[2]);
  CHECK(golden_difference("lstm/output0", state.h.value().span()) <= kTolerance);
  CHECK(golden_difference("lstm/output1", state.c.value().span()) <= kTolerance);
  const Tensor dh = golden_tensor("lstm/cotangent0", {3, 4}, 1),
               dc = golden_tensor("lstm/cotangent1", {3, 4}, 1);
  tape.backward(std::vector{state.h, state.c}, std::vector<ConstView>{dh.view(), dc.view()});
  const auto gradient = [&](const std::string& name) { return "lstm/gradient/" + name; };
  CHECK(golden_difference(gradient("x"), tape.grad(vars[0]).span()) <= kTolerance);
  CHECK(golden_difference(gradient("h"), tape.grad(vars[1]).span()) <= kTolerance);
  CHECK(golden_difference(gradient("c"), tape.grad(vars[2]).span()) <= kTolerance);
  CHECK(golden_difference(gradient("weight_ih"), transposed(tape.grad(vars[3]))) <= kTolerance);
  CHECK(golden_difference(gradient("weight_hh"), transposed(tape.grad(vars[4]))) <= kTolerance);
  CHECK(golden_difference(gradient("bias_ih"), tape.grad(vars[5]).span()) <= kTolerance);
  CHECK(golden_difference(gradient("bias_hh"), tape.grad(vars[6]).span()) <= kTolerance);
}

TEST_CASE("multi-head attention is torch's, forward, weights and back") {
  constexpr Index kWidth = 12;
  ParameterStore store;
  const MultiHeadAttention attention(ParamScope(store, ""), {.features = kWidth, .heads = 3});
  store.initialise(1);
  // torch keeps query, key and value in one matrix and one bias, one behind the other.
  const std::vector<Real> all = test::golden_weight("multi_head.in_proj_weight", {36, kWidth});
  const std::vector<Real> biases = test::golden_weight("multi_head.in_proj_bias", {36});
  const std::vector<std::string> parts{"query", "key", "value"};
  const auto value = [&](const std::string& name) { return store.value(store.find(name)); };
  for (std::size_t k = 0; k < 3; ++k) {
    from_torch(TorchLayout::kMatrix, std::span(all).subspan(k * 144, 144),
               value(parts[k] + ".weight"));
    from_torch(TorchLayout::kSame, std::span(biases).subspan(k * 12, 12),
               value(parts[k] + ".bias"));
  }
  from_torch(TorchLayout::kMatrix,
             test::golden_weight("multi_head.out_proj.weight", {kWidth, kWidth}),
             value("output.weight"));
  from_torch(TorchLayout::kSame, test::golden_weight("multi_head.out_proj.bias", {kWidth}),
             value("output.bias"));

  const Tensor query = golden_tensor("multi_head/query", {2, 4, kWidth}, 2),
               memory = golden_tensor("multi_head/memory", {2, 5, kWidth}, 2);
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(store.views());
  const Var q = tape.variable(query.view()), m = tape.variable(memory.view());
  const SequenceKeys keys = attention.prepare(tape, m);
  const Var out = attention.attend(tape, q, keys, {});
  CHECK(golden_difference("multi_head/output0", out.value().span()) <= kTolerance);
  CHECK(golden_difference("multi_head/output1", attention.weights(tape, q, keys, {}).span()) <=
        kTolerance);
  const Tensor cotangent = golden_tensor("multi_head/cotangent0", {2, 4, kWidth}, 1);
  tape.backward(std::vector{out}, std::vector<ConstView>{cotangent.view()});
  const std::vector<Real> flat = test::parameter_gradients(tape, store);
  const auto gradient = [&](const std::string& name) {
    const ParameterInfo& info = store.info(store.find(name));
    return ConstView(flat.data() + info.offset, info.shape);
  };
  CHECK(golden_difference("multi_head/gradient/query", tape.grad(q).span()) <= kTolerance);
  CHECK(golden_difference("multi_head/gradient/memory", tape.grad(m).span()) <= kTolerance);
  std::vector<Real> weights, shifts;
  for (const std::string& part : parts) {
    const std::vector<Real> weight = transposed(gradient(part + ".weight"));
    weights.insert(weights.end(), weight.begin(), weight.end());
    const std::span<const Real> shift = gradient(part + ".bias").span();
    shifts.insert(shifts.end(), shift.begin(), shift.end());
  }
  CHECK(golden_difference("multi_head/gradient/in_proj_weight", weights) <= kTolerance);
  CHECK(golden_difference("multi_head/gradient/in_proj_bias", shifts) <= kTolerance);
  CHECK(golden_difference("multi_head/gradient/out_proj.weight",
                          transposed(gradient("output.weight"))) <= kTolerance);
  CHECK(golden_difference("multi_head/gradient/out_proj.bias", gradient("output.bias").span()) <=
        kTolerance);
}

}  // namespace saccade
