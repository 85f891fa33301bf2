#include "captioning/decoders/recurrent_decoder.h"

#include <algorithm>
#include <cmath>

#include "core/attention/gate.h"
#include "core/kernels/pointwise.h"
#include "core/ops/estimator_ops.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

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

RecurrentDecoder::RecurrentDecoder(const DecoderParts& parts, Index sentinel,
                                   const MakeCell& make_cell)
    : attention_(make_looks(parts,
                            {.features = parts.widths.features,
                             .query = parts.config.hidden,
                             .sentinel = sentinel,
                             .regions = parts.widths.rows * parts.widths.cols,
                             .keys = parts.widths.keys},
                            parts.scope.sub("attention"))),
      layout_{.rows = parts.widths.rows, .cols = parts.widths.cols, .group = 1, .mask = {}},
      embedding_(parts.scope.declare("embedding", {parts.widths.vocabulary, parts.config.embedding},
                                     Init::uniform(0.1))),
      cell_(make_cell(parts, embedding_)) {
  if (parts.config.image == ImageEntry::kFirstStep)
    image_word_.emplace(parts, parts.config.embedding);
}

AttentionMemory RecurrentDecoder::prepare(Tape& tape, const EncodedImages& images,
                                          Index group) const {
  MemoryLayout layout = layout_;
  layout.group = group;
  layout.mask = images.mask;
  AttentionMemory memory = attention_->prepare(tape, {images.features, images.keys}, layout);
  if (images.pooled) memory.pooled = images.pooled;
  return memory;
}

std::vector<Var> RecurrentDecoder::start(Tape& tape, const AttentionMemory& memory) const {
  std::vector<Var> state = cell_->start(tape, memory);
  if (image_word_) {
    const Var image = (*image_word_)(tape, memory);
    const CellInput in{.words = image, .read = cell_->read(tape, image), .state = state};
    const Asked asked = cell_->ask(tape, in);
    state = cell_->tell(tape, in, asked, {}, nullptr).state;
  }
  for (const Var part : attention_->start(tape, memory)) state.push_back(part);
  return state;
}

std::vector<Var> RecurrentDecoder::regions_of(Tape& tape, const AttentionMemory& memory,
                                              const AttendContext& context) const {
  if (context.likelihood != HardLikelihood::kMarginal) return {};
  const Shape shape = memory.features.shape();
  return cell_->regions(tape, ops::reshape(memory.features, {shape[0] * shape[1], shape[2]}));
}

RecurrentDecoder::Move RecurrentDecoder::move(Tape& tape, CellInput in, std::span<const Var> state,
                                              const AttentionMemory& memory, AttendContext context,
                                              std::span<const Var> regions) const {
  in.state = state.first(cell_->parts());
  Move out;
  out.asked = cell_->ask(tape, in);
  const Asked& asked = out.asked;
  out.value = cell_->cost_correction(tape, asked.query);
  context.sentinel = asked.sentinel;
  out.glimpse =
      attention_->attend(tape, asked.query, memory, state.subspan(cell_->parts()), context);
  std::optional<RegionPairs> pairs;
  if (!regions.empty()) pairs.emplace(regions, asked.query.rows(), memory, out.glimpse.gate);
  out.told = cell_->tell(tape, in, asked, out.glimpse.context, pairs ? &*pairs : nullptr);
  out.state = out.told.state;
  out.state.insert(out.state.end(), out.glimpse.state.begin(), out.glimpse.state.end());
  return out;
}

StepOutput RecurrentDecoder::step(Tape& tape, std::span<const int> words,
                                  std::span<const Var> state, const AttentionMemory& memory,
                                  const AttendContext& context) const {
  const Var embedded = ops::embedding(tape.parameter(embedding_), words);
  const CellInput in{.words = embedded, .read = cell_->read(tape, embedded), .state = {}};
  Move moved = move(tape, in, state, memory, context, regions_of(tape, memory, context));
  StepOutput out;
  out.logits = moved.told.each
                   ? mixed_words(tape, moved.glimpse.weights.value(), moved.told.each.value())
                   : cell_->logits(tape, embedded, moved.told.said);
  out.state = std::move(moved.state);
  out.glimpse = std::move(moved.glimpse);
  return out;
}

SequenceOutput RecurrentDecoder::sequence(Tape& tape, const PackedCaptions& captions,
                                          const AttentionMemory& memory,
                                          const AttendContext& context,
                                          std::span<const PreparedLook> informed) const {
  SACCADE_CHECK(memory.layout.group == 1, "[decoder] a sequence wants one row a memory");
  const Var words = ops::embedding(tape.parameter(embedding_), captions.inputs);  // [N, E]
  FirstPass pass{
      .captions = captions, .memory = memory, .context = context, .words = words, .steps = {}};
  const std::vector<Var> read = cell_->read(tape, words);
  const std::vector<Var> regions = regions_of(tape, memory, context);
  std::vector<Var> state = start(tape, memory);
  SequenceOutput out;
  std::vector<std::vector<Var>> said;  // by part, then by word
  std::vector<Var> costs;
  Index first = 0;
  for (Index t = 0; t < captions.steps(); ++t) {
    const Index rows = captions.rows[static_cast<std::size_t>(t)];
    AttendContext at = context;
    at.step = t;
    at.first_row = first;
    for (Var& part : state) part = ops::first_rows(part, rows);
    CellInput in{.words = ops::slice_rows(words, first, rows), .read = {}, .state = {}};
    for (const Var part : read) in.read.push_back(ops::slice_rows(part, first, rows));
    Move moved = move(tape, in, state, memory, at, regions);
    if (moved.told.each)
      costs.push_back(marginal_cost(
          moved.told.each, moved.glimpse.weights,
          std::span(captions.targets)
              .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          captions.temperature));
    if (!informed.empty())
      pass.steps.push_back(
          {.asked = std::move(moved.asked), .state = std::move(state), .gate = moved.glimpse.gate});
    state = std::move(moved.state);
    said.resize(moved.told.said.size());
    for (std::size_t k = 0; k < said.size(); ++k) said[k].push_back(moved.told.said[k]);
    out.look(moved.glimpse);
    if (moved.value) out.values.push_back(moved.value);
    first += rows;
  }
  if (!costs.empty()) {
    SACCADE_CHECK(informed.empty(), "[decoder] a mixture over regions is not said a second time");
    out.nll = ops::concat_rows(costs);
    return out;
  }
  std::vector<Var> all;
  for (const std::vector<Var>& part : said) all.push_back(ops::concat_rows(part));
  out.logits = cell_->logits(tape, words, all);
  out.nll = word_costs(out.logits, captions);
  for (const PreparedLook& again : informed) out.informed.push_back(say_again(tape, pass, again));
  return out;
}

// The looks are made step by step, because rows share memories; then all words are told of them in
// one call, because nothing of it goes on to the next word.
InformedWords RecurrentDecoder::say_again(Tape& tape, const FirstPass& first,
                                          const PreparedLook& again) const {
  const std::vector<Step>& steps = first.steps;
  const auto rows_of_all = [&](auto part) {
    std::vector<Var> rows;
    for (const Step& step : steps) rows.push_back(part(step));
    return ops::concat_rows(rows);
  };
  Asked asked{.query = rows_of_all([](const Step& step) { return step.asked.query; })};
  for (std::size_t k = 0; k < steps[0].asked.carried.size(); ++k)
    asked.carried.push_back(rows_of_all([&](const Step& step) { return step.asked.carried[k]; }));
  std::vector<Var> state;
  for (std::size_t k = 0; k < cell_->parts(); ++k)
    state.push_back(rows_of_all([&](const Step& step) { return step.state[k]; }));

  const Attention* own = again.look->attention();
  const Var targets = ops::embedding(tape.parameter(embedding_), first.captions.targets);
  const Var queries = again.look->queries(tape, targets, asked.query);
  InformedWords out{.kind = again.look->kind(), .nll = {}, .weights = {}};
  std::vector<Var> contexts;
  Index row = 0;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const Step& step = steps[t];
    const Var query = ops::slice_rows(queries, row, step.asked.query.rows());
    AttendContext at{.step = static_cast<Index>(t), .informed = true};
    Glimpse seen;
    if (own) {
      seen = own->attend(tape, query, again.memory, {}, at);
    } else {
      at.temperature = first.context.temperature;
      at.sentinel = step.asked.sentinel;
      seen = attention_->attend(tape, query, first.memory,
                                std::span(step.state).subspan(cell_->parts()), at);
    }
    contexts.push_back(step.gate ? gated(seen.context, step.gate) : seen.context);
    out.weights.push_back(seen.weights);
    row += query.rows();
  }
  // Words are read anew, because cells write over what they read.
  const CellInput in{.words = first.words, .read = cell_->read(tape, first.words), .state = state};
  const Told told = cell_->tell(tape, in, asked, ops::concat_rows(contexts), nullptr);
  out.nll = word_costs(cell_->logits(tape, first.words, told.said), first.captions);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
