#include "captioning/decoders/lstm_decoder.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/pointwise.h"
#include "core/ops/estimator_ops.h"
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

// log sum_l weights[r, l] softmax(each[r, l])[v] -> [R, V], for search.
Var mixed_words(Tape& tape, ConstView weights, ConstView each) {
  const Index rows = weights.rows(), regions = weights.cols(), vocabulary = each.cols();
  const View words{tape.scratch(vocabulary), {1, vocabulary}};
  const View out{tape.scratch(rows * vocabulary), {rows, vocabulary}};
  std::fill_n(out.data, out.size(), Real{0});
  for (Index r = 0; r < rows; ++r) {
    const View row{out.row(r), {1, vocabulary}};
    for (Index l = 0; l < regions; ++l) {
      kernels::softmax({each.row(r * regions + l), {1, vocabulary}}, words);
      kernels::accumulate(words, row, weights.row(r)[l]);
    }
    for (Index v = 0; v < vocabulary; ++v) row[v] = std::log(row[v]);
  }
  return tape.constant(out);
}

// -log p of the targets [R] with the region summed out, from the logits of every region.
Var marginal_cost(Var each, Var weights, std::span<const int> targets, double temperature) {
  const Index regions = weights.cols();
  std::vector<int> repeated;
  for (const int target : targets)
    repeated.insert(repeated.end(), static_cast<std::size_t>(regions), target);
  if (temperature != 1) each = ops::scale(each, static_cast<Real>(1 / temperature));
  const Var nll = ops::cross_entropy(each, repeated);
  return ops::marginal_nll(weights, ops::reshape(nll, weights.shape()));
}

}  // namespace

LstmDecoder::LstmDecoder(const DecoderConfig& config, LstmAttention attention,
                         const DecoderWidths& widths, const ParamScope& scope)
    : attention_(std::move(attention)),
      layout_{.rows = widths.rows, .cols = widths.cols, .group = 1, .mask = {}},
      dropout_(config.dropout) {
  const Index d = widths.features, v = widths.vocabulary, e = config.embedding, h = config.hidden;
  embedding_ = scope.declare("embedding", {v, e}, Init::uniform(0.1));
  init_h_ = declare_mlp(scope.sub("init_h"), d, config.init_hidden, h);
  init_c_ = declare_mlp(scope.sub("init_c"), d, config.init_hidden, h);
  const ParamScope lstm = scope.sub("lstm");
  gates_word_ = declare_matrix(lstm, "word", e, 4 * h);
  gates_h_ = declare_matrix(lstm, "hidden", h, 4 * h);
  gates_z_ = declare_matrix(lstm, "context", d, 4 * h);
  gates_bias_ = declare_bias(lstm, "bias", 4 * h);
  if (attention_.sentinel) {
    const ParamScope sentinel = scope.sub("sentinel");
    sentinel_word_ = declare_matrix(sentinel, "word", e, h);
    sentinel_h_ = declare_matrix(sentinel, "hidden", h, h);
    sentinel_bias_ = declare_bias(sentinel, "bias", h);
  }
  if (attention_.value_head) {
    value_weight_ = declare_matrix(scope.sub("value"), "weight", h, 1);
    value_bias_ = declare_bias(scope.sub("value"), "bias", 1);
  }
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
  MemoryLayout layout = layout_;
  layout.group = group;
  return attention_.mechanism->prepare(tape, features, layout);
}

std::vector<Var> LstmDecoder::start(Tape& tape, const AttentionMemory& memory) const {
  const Var mean = ops::mean_regions(memory.features);
  std::vector<Var> state{run_mlp(tape, init_h_, mean), run_mlp(tape, init_c_, mean)};
  for (const Var part : attention_.mechanism->start(tape, memory)) state.push_back(part);
  return state;
}

LstmDecoder::WordInputs LstmDecoder::WordInputs::rows(Index first, Index count) const {
  return {ops::slice_rows(gates, first, count),
          sentinel ? ops::slice_rows(sentinel, first, count) : Var{}};
}

LstmDecoder::WordInputs LstmDecoder::word_inputs(Tape& tape, Var words) const {
  WordInputs out;
  out.gates = ops::linear(words, tape.parameter(gates_word_), tape.parameter(gates_bias_));
  if (attention_.sentinel)
    out.sentinel =
        ops::linear(words, tape.parameter(sentinel_word_), tape.parameter(sentinel_bias_));
  return out;
}

Glimpse LstmDecoder::look(Tape& tape, const WordInputs& inputs, std::span<const Var> state,
                          const AttentionMemory& memory, AttendContext context) const {
  const Var h = state[0], c = state[1];
  if (attention_.sentinel) {
    const Var gate =
        ops::sigmoid(ops::accumulate_linear(inputs.sentinel, h, tape.parameter(sentinel_h_)));
    context.sentinel = ops::multiply(gate, ops::tanh(c));
  }
  return attention_.mechanism->attend(tape, h, memory, state.subspan(2), context);
}

Var LstmDecoder::add_hidden(Tape& tape, const WordInputs& inputs, std::span<const Var> state,
                            Sum sum) const {
  const Var weight = tape.parameter(gates_h_);
  return sum == Sum::kInPlace ? ops::accumulate_linear(inputs.gates, state[0], weight)
                              : ops::add(inputs.gates, ops::linear(state[0], weight));
}

std::vector<Var> LstmDecoder::advance(Tape& tape, Var gates, std::span<const Var> state,
                                      const Glimpse& glimpse, Sum sum) const {
  const Var weight = tape.parameter(gates_z_);
  gates = sum == Sum::kInPlace ? ops::accumulate_linear(gates, glimpse.context, weight)
                               : ops::add(gates, ops::linear(glimpse.context, weight));
  const ops::LstmState next = ops::lstm_cell(gates, state[1]);
  std::vector<Var> out{next.h, next.c};
  out.insert(out.end(), glimpse.state.begin(), glimpse.state.end());
  return out;
}

Var LstmDecoder::logits(Tape& tape, Var words, Var h, Var z) const {
  Var deep = ops::linear(ops::dropout(h, dropout_), tape.parameter(output_h_),
                         tape.parameter(output_bias_));
  deep = ops::accumulate_linear(deep, z, tape.parameter(output_z_));
  deep = ops::dropout(ops::tanh(ops::add(words, deep)), dropout_);
  return ops::linear(deep, tape.parameter(vocabulary_weight_), tape.parameter(vocabulary_bias_));
}

// The state as a constant: what the value head learns is its own, and moves nothing else.
Var LstmDecoder::cost_correction(Tape& tape, Var h) const {
  return ops::linear(tape.constant(h.value()), tape.parameter(value_weight_),
                     tape.parameter(value_bias_));
}

LstmDecoder::Regions LstmDecoder::regions_of(Tape& tape, const AttentionMemory& memory) const {
  const Shape shape = memory.features.shape();
  const Var flat = ops::reshape(memory.features, {shape[0] * shape[1], shape[2]});
  return {ops::linear(flat, tape.parameter(gates_z_)),
          ops::linear(flat, tape.parameter(output_z_))};
}

Var LstmDecoder::region_logits(Tape& tape, Var words, Var gates, std::span<const Var> state,
                               const AttentionMemory& memory, const Regions& regions,
                               Var gate) const {
  const Index rows = words.rows(), count = memory.regions();
  std::vector<int> row_of, region_of;  // of every pair of a row and a region
  for (Index r = 0; r < rows; ++r)
    for (Index l = 0; l < count; ++l) {
      row_of.push_back(static_cast<int>(r));
      region_of.push_back(static_cast<int>(r / memory.layout.group * count + l));
    }
  const auto each = [&](Var x) { return ops::embedding(x, row_of); };
  const auto seen = [&](Var x) {
    const Var own = ops::embedding(x, region_of);
    return gate ? ops::scale_rows(own, each(gate)) : own;
  };
  const ops::LstmState next =
      ops::lstm_cell(ops::add(each(gates), seen(regions.gates)), each(state[1]));
  Var deep = ops::linear(ops::dropout(next.h, dropout_), tape.parameter(output_h_),
                         tape.parameter(output_bias_));
  deep = ops::add(ops::add(deep, seen(regions.output)), each(words));
  deep = ops::dropout(ops::tanh(deep), dropout_);
  return ops::linear(deep, tape.parameter(vocabulary_weight_), tape.parameter(vocabulary_bias_));
}

StepOutput LstmDecoder::step(Tape& tape, std::span<const int> words, std::span<const Var> state,
                             const AttentionMemory& memory, const AttendContext& context) const {
  const Var embedded = ops::embedding(tape.parameter(embedding_), words);
  const WordInputs inputs = word_inputs(tape, embedded);
  const bool marginal = context.likelihood == HardLikelihood::kMarginal;
  const Sum sum = marginal ? Sum::kFresh : Sum::kInPlace;
  StepOutput out;
  out.glimpse = look(tape, inputs, state, memory, context);
  const Var gates = add_hidden(tape, inputs, state, sum);
  if (marginal) {
    const Var each = region_logits(tape, embedded, gates, state, memory, regions_of(tape, memory),
                                   out.glimpse.gate);
    out.logits = mixed_words(tape, out.glimpse.weights.value(), each.value());
  }
  out.state = advance(tape, gates, state, out.glimpse, sum);
  if (!out.logits) out.logits = logits(tape, embedded, out.state[0], out.glimpse.context);
  return out;
}

SequenceOutput LstmDecoder::sequence(Tape& tape, const PackedCaptions& captions,
                                     const AttentionMemory& memory,
                                     const AttendContext& context) const {
  SACCADE_CHECK(memory.layout.group == 1, "[decoder] a sequence wants one row a memory");
  const bool marginal = context.likelihood == HardLikelihood::kMarginal;
  const Sum sum = marginal ? Sum::kFresh : Sum::kInPlace;
  const Var words = ops::embedding(tape.parameter(embedding_), captions.inputs);  // [N, E]
  const WordInputs inputs = word_inputs(tape, words);
  const Regions regions = marginal ? regions_of(tape, memory) : Regions{};
  std::vector<Var> state = start(tape, memory);
  SequenceOutput out;
  std::vector<Var> hidden, contexts, costs;
  Index first = 0;
  for (Index t = 0; t < captions.steps(); ++t) {
    const Index rows = captions.rows[static_cast<std::size_t>(t)];
    AttendContext at = context;
    at.step = t;
    at.first_row = first;
    for (Var& part : state) part = ops::first_rows(part, rows);
    if (attention_.value_head) out.values.push_back(cost_correction(tape, state[0]));
    const WordInputs own = inputs.rows(first, rows);
    const Glimpse glimpse = look(tape, own, state, memory, at);
    const Var gates = add_hidden(tape, own, state, sum);
    if (marginal) {
      const Var each = region_logits(tape, ops::slice_rows(words, first, rows), gates, state,
                                     memory, regions, glimpse.gate);
      costs.push_back(marginal_cost(
          each, glimpse.weights,
          std::span(captions.targets)
              .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          captions.temperature));
    }
    state = advance(tape, gates, state, glimpse, sum);
    hidden.push_back(state[0]);
    contexts.push_back(glimpse.context);
    out.weights.push_back(glimpse.weights);
    out.chosen.push_back(glimpse.chosen);
    if (glimpse.gate) out.gates.push_back(glimpse.gate);
    if (glimpse.surrogate) out.surrogates.push_back(glimpse.surrogate);
    first += rows;
  }
  if (marginal) {
    out.nll = ops::concat_rows(costs);
    return out;
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
