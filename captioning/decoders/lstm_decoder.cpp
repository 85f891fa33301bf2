#include "captioning/decoders/lstm_decoder.h"

#include <cmath>

#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

int declare_matrix(const ParamScope& scope, const std::string& name, Index in, Index out) {
  return scope.declare(name, {in, out}, Init::glorot(in, out));
}
int declare_bias(const ParamScope& scope, const std::string& name, Index width) {
  return scope.declare(name, {width}, Init::constant(0), Decay::kNo);
}

}  // namespace

LstmDecoder::LstmDecoder(const DecoderConfig& config, std::unique_ptr<Attention> attention,
                         const DecoderWidths& widths, const ParamScope& scope)
    : attention_(std::move(attention)), dropout_(config.dropout) {
  const Index d = widths.features, v = widths.vocabulary, e = config.embedding, h = config.hidden;
  embedding_ = scope.declare("embedding", {v, e}, Init::uniform(0.1));
  init_h_ = declare_mlp(scope.sub("init_h"), d, config.init_hidden, h);
  init_c_ = declare_mlp(scope.sub("init_c"), d, config.init_hidden, h);
  const ParamScope lstm = scope.sub("lstm");
  gates_word_ = declare_matrix(lstm, "word", e, 4 * h);
  gates_h_ = declare_matrix(lstm, "hidden", h, 4 * h);
  gates_z_ = declare_matrix(lstm, "context", d, 4 * h);
  gates_bias_ = declare_bias(lstm, "bias", 4 * h);
  const ParamScope output = scope.sub("output");
  output_h_ = declare_matrix(output, "hidden", h, e);
  output_z_ = declare_matrix(output, "context", d, e);
  output_bias_ = declare_bias(output, "bias", e);
  vocabulary_weight_ = declare_matrix(output, "vocabulary", e, v);
  vocabulary_bias_ = declare_bias(output, "vocabulary_bias", v);
}

LstmDecoder::Mlp LstmDecoder::declare_mlp(const ParamScope& scope, Index in, Index hidden,
                                          Index out) {
  return {declare_matrix(scope, "hidden", in, hidden), declare_bias(scope, "hidden_bias", hidden),
          declare_matrix(scope, "weight", hidden, out), declare_bias(scope, "bias", out)};
}

Var LstmDecoder::run_mlp(Tape& tape, const Mlp& mlp, Var mean) const {
  Var hidden = ops::tanh(
      ops::linear(mean, tape.parameter(mlp.hidden_weight), tape.parameter(mlp.hidden_bias)));
  hidden = ops::dropout(hidden, dropout_);
  return ops::tanh(ops::linear(hidden, tape.parameter(mlp.weight), tape.parameter(mlp.bias)));
}

AttentionMemory LstmDecoder::prepare(Tape& tape, Var features, Index group) const {
  return attention_->prepare(tape, features, group);
}

std::vector<Var> LstmDecoder::start(Tape& tape, const AttentionMemory& memory) const {
  const Var mean = ops::mean_regions(memory.features);
  return {run_mlp(tape, init_h_, mean), run_mlp(tape, init_c_, mean)};
}

Var LstmDecoder::input_gates(Tape& tape, Var words) const {
  return ops::linear(words, tape.parameter(gates_word_), tape.parameter(gates_bias_));
}

LstmDecoder::Recurrence LstmDecoder::recur(Tape& tape, Var gates, Var h, Var c,
                                           const AttentionMemory& memory,
                                           const AttendContext& context) const {
  Recurrence out;
  out.glimpse = attention_->attend(tape, h, memory, context);
  gates = ops::accumulate_linear(gates, h, tape.parameter(gates_h_));
  gates = ops::accumulate_linear(gates, out.glimpse.context, tape.parameter(gates_z_));
  const ops::LstmState state = ops::lstm_cell(gates, c);
  out.h = state.h;
  out.c = state.c;
  return out;
}

Var LstmDecoder::logits(Tape& tape, Var words, Var h, Var z) const {
  Var deep = ops::linear(ops::dropout(h, dropout_), tape.parameter(output_h_),
                         tape.parameter(output_bias_));
  deep = ops::accumulate_linear(deep, z, tape.parameter(output_z_));
  deep = ops::dropout(ops::tanh(ops::add(words, deep)), dropout_);
  return ops::linear(deep, tape.parameter(vocabulary_weight_), tape.parameter(vocabulary_bias_));
}

StepOutput LstmDecoder::step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                             const AttentionMemory& memory, const AttendContext& context) const {
  const Var embedded = ops::embedding(tape.parameter(embedding_), words);
  const Recurrence next =
      recur(tape, input_gates(tape, embedded), state[0], state[1], memory, context);
  return {logits(tape, embedded, next.h, next.glimpse.context), {next.h, next.c}, next.glimpse};
}

SequenceOutput LstmDecoder::sequence(Tape& tape, const PackedCaptions& captions,
                                     const AttentionMemory& memory,
                                     const AttendContext& context) const {
  SACCADE_CHECK(memory.group == 1, "[decoder] a sequence wants one row a memory");
  const Var words = ops::embedding(tape.parameter(embedding_), captions.inputs);  // [N, E]
  const Var all_gates = input_gates(tape, words);                                 // [N, 4H]
  const std::vector<Var> state = start(tape, memory);
  Var h = state[0], c = state[1];
  SequenceOutput out;
  std::vector<Var> hidden, contexts;
  Index first = 0;
  for (Index t = 0; t < captions.steps(); ++t) {
    const Index rows = captions.rows[static_cast<std::size_t>(t)];
    AttendContext at = context;
    at.step = t;
    const Recurrence next = recur(tape, ops::slice_rows(all_gates, first, rows),
                                  ops::first_rows(h, rows), ops::first_rows(c, rows), memory, at);
    h = next.h, c = next.c;
    hidden.push_back(h);
    contexts.push_back(next.glimpse.context);
    out.weights.push_back(next.glimpse.weights);
    out.chosen.push_back(next.glimpse.chosen);
    if (next.glimpse.gate) out.gates.push_back(next.glimpse.gate);
    if (next.glimpse.surrogate) out.surrogates.push_back(next.glimpse.surrogate);
    first += rows;
  }
  Var all_logits = logits(tape, words, ops::concat_rows(hidden), ops::concat_rows(contexts));
  if (captions.temperature != 1) {
    all_logits = ops::scale(all_logits, static_cast<Real>(1 / captions.temperature));
  }
  out.nll = ops::cross_entropy(all_logits, captions.targets);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
