// A transformer's encoder and decoder layer against PyTorch, with the same weights and inputs, for
// layers that normalise before and after what they do.
#include "captioning/model/decoders/transformer_layer.h"
#include "core/attention/sequence/multi_head_attention.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "tests/golden/golden_module.h"
#include "tests/support/test_tape.h"

namespace saccade::transformer_layers_test {

using test::golden_difference;
using test::golden_tensor;
using test::GoldenPart;
using test::kGoldenTolerance;

namespace {

constexpr Index kWidth = 12, kHeads = 3, kMultiple = 2;
constexpr Index kImages = 2, kWords = 4, kRegions = 5;
constexpr NormPlacement kPlacements[] = {NormPlacement::kPre, NormPlacement::kPost};

// Cross-attention to the regions is an attention of the algebra, each head of which has its own
// weights: rows of torch's single matrix of queries, keys and values.
void add_heads(std::vector<GoldenPart>& parts, const std::string& ours, const std::string& torch) {
  constexpr Index kHead = kWidth / kHeads, kWhole = 3 * kWidth;
  for (Index h = 0; h < kHeads; ++h) {
    const std::string head = str(ours, "head_", h, ".");
    const std::string matrix = torch + "in_proj_weight";
    parts.push_back({head + "score.query.weight", matrix, h * kHead, kWhole});
    parts.push_back({head + "score.query.bias", torch + "in_proj_bias", h * kHead, kWhole});
    parts.push_back({head + "score.key.weight", matrix, kWidth + h * kHead, kWhole});
    parts.push_back({head + "value.weight", matrix, 2 * kWidth + h * kHead, kWhole});
  }
}

void add_network(std::vector<GoldenPart>& parts) {
  add_dense(parts, "widen", "linear1");
  add_dense(parts, "narrow", "linear2");
}

}  // namespace

TEST_CASE("a transformer's encoder layer equals PyTorch's, forward and backward") {
  for (const NormPlacement placement : kPlacements) {
    const bool pre = placement == NormPlacement::kPre;
    const std::string name = str("encoder_layer_", enum_name(placement));
    CAPTURE(name);
    ParameterStore store;
    const TransformerBlock block(
        ParamScope(store, ""),
        {.features = kWidth,
         .multiple = kMultiple,
         .activation = pre ? DenseActivation::kGelu : DenseActivation::kRelu,
         .norm = placement},
        [](const ParamScope& scope) {
          return std::make_unique<MultiHeadAttention>(
              scope, SequenceWidths{.features = kWidth, .heads = kHeads});
        });
    std::vector<GoldenPart> parts;
    add_attention(parts, "attention.", "self_attn.", kWidth);
    add_network(parts);
    add_norm(parts, "attention_norm", "norm1");
    add_norm(parts, "dense_norm", "norm2");
    const test::GoldenModule module(name, store, parts);

    const Shape shape{kImages, kWords, kWidth};
    const Tensor input = golden_tensor(name + "/x", shape, 2);
    test::TestTape tape(store.views());
    const Var x = tape.variable(input.view());
    const Var y = block(tape, x, {});
    CHECK(golden_difference(name + "/output0", y.value().span()) <= kGoldenTolerance);
    const Tensor cotangent = golden_tensor(name + "/cotangent0", shape, 1);
    tape.backward(std::vector{y}, std::vector<ConstView>{cotangent.view()});
    CHECK(golden_difference(name + "/gradient/x", tape.grad(x).span()) <= kGoldenTolerance);
    module.check_gradients(tape);
  }
}

TEST_CASE("a transformer's decoder layer equals PyTorch's, forward and backward") {
  for (const NormPlacement placement : kPlacements) {
    const std::string name = str("decoder_layer_", enum_name(placement));
    CAPTURE(name);
    DecoderConfig decoder;
    decoder.hidden = kWidth, decoder.heads = kHeads, decoder.widen = kMultiple;
    decoder.norm = placement, decoder.dropout = 0;
    AttentionConfig attention;
    attention.score = "scaled_dot", attention.gate = "none";
    attention.heads = kHeads, attention.hidden = kWidth;
    ParameterStore store;
    const TransformerLayer layer(
        ParamScope(store, ""),
        {decoder, attention, {.features = kWidth, .grid = {1, kRegions}}, ParamScope(store, "")},
        0);
    std::vector<GoldenPart> parts;
    add_attention(parts, "words.", "self_attn.", kWidth);
    add_heads(parts, "cross.", "multihead_attn.");
    add_dense(parts, "cross_output", "multihead_attn.out_proj");
    add_network(parts);
    add_norm(parts, "words_norm", "norm1");
    add_norm(parts, "cross_norm", "norm2");
    add_norm(parts, "dense_norm", "norm3");
    const test::GoldenModule module(name, store, parts);

    const Shape shape{kImages, kWords, kWidth};
    const Tensor words = golden_tensor(name + "/x", shape, 2),
                 regions = golden_tensor(name + "/memory", {kImages, kRegions, kWidth}, 2);
    test::TestTape tape(store.views());
    const Var x = tape.variable(words.view()), features = tape.variable(regions.view());
    const AttentionMemory memory =
        layer.cross().prepare(tape, features, {.grid = {1, kRegions}, .group = kWords, .mask = {}});
    const Var entered = layer.enter(tape, x);
    const Var after_words = layer.words(tape, x, entered, layer.kept(tape, entered));
    const Glimpse glimpse =
        layer.cross().attend(tape, layer.query(tape, after_words), memory, {}, {});
    const Var y = layer.finish(tape, after_words, glimpse.context);
    CHECK(golden_difference(name + "/output0", y.value().span()) <= kGoldenTolerance);
    const Tensor cotangent = golden_tensor(name + "/cotangent0", shape, 1);
    tape.backward(std::vector{y}, std::vector<ConstView>{cotangent.view()});
    CHECK(golden_difference(name + "/gradient/x", tape.grad(x).span()) <= kGoldenTolerance);
    CHECK(golden_difference(name + "/gradient/memory", tape.grad(features).span()) <=
          kGoldenTolerance);
    module.check_gradients(tape);
  }
}

// Steps of recurrent cells and multi-head attention against PyTorch, with the same weights and
// inputs.

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

TEST_CASE("multi-head attention equals PyTorch's, forward, weights and backward") {
  constexpr Index kWidth = 12;
  ParameterStore store;
  const MultiHeadAttention attention(ParamScope(store, ""), {.features = kWidth, .heads = 3});
  std::vector<test::GoldenPart> parts;
  add_attention(parts, "", "", kWidth);
  const test::GoldenModule module("multi_head", store, parts);
  const Tensor query = golden_tensor("multi_head/query", {2, 4, kWidth}, 2),
               memory = golden_tensor("multi_head/memory", {2, 5, kWidth}, 2);
  test::TestTape tape(store.views());
  const Var q = tape.variable(query.view()), m = tape.variable(memory.view());
  const SequenceKeys keys = attention.prepare(tape, m);
  const Var out = attention.attend(tape, q, keys, {});
  CHECK(golden_difference("multi_head/output0", out.value().span()) <= kGoldenTolerance);
  CHECK(golden_difference("multi_head/output1", attention.weights(tape, q, keys, {}).span()) <=
        kGoldenTolerance);
  const Tensor cotangent = golden_tensor("multi_head/cotangent0", {2, 4, kWidth}, 1);
  tape.backward(std::vector{out}, std::vector<ConstView>{cotangent.view()});
  CHECK(golden_difference("multi_head/gradient/query", tape.grad(q).span()) <= kGoldenTolerance);
  CHECK(golden_difference("multi_head/gradient/memory", tape.grad(m).span()) <= kGoldenTolerance);
  module.check_gradients(tape);
}

}  // namespace saccade::transformer_layers_test
