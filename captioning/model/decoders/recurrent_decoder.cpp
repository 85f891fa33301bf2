#include "captioning/model/decoders/recurrent_decoder.h"

#include <algorithm>
#include <cmath>

#include "core/attention/gate.h"
#include "core/kernels/pointwise.h"
#include "core/ops/estimator_ops.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The regions of all memories as rows: x [M, L, C] -> [M L, C].
Var as_rows(Var x) {
  const Shape shape = x.shape();
  return ops::reshape(x, {shape[0] * shape[1], shape[2]});
}

// log sum_l weights[r, l] softmax(region_logits[r, l])[v] -> [R, V], for search.
Var mixture_logits(Tape& tape, ConstView weights, ConstView region_logits) {
  const Index rows = weights.rows(), regions = weights.cols(), vocabulary = region_logits.cols();
  const View out{tape.scratch(rows * vocabulary), {rows, vocabulary}};
  std::fill_n(out.data, out.size(), Real{0});
  parallel::split_kernel(
      {.count = rows, .cost = regions * vocabulary * parallel::kExponentialCost},
      [&](Index begin, Index end) {
        Tensor words({1, vocabulary});
        for (Index r = begin; r < end; ++r) {
          const View row{out.row(r), {1, vocabulary}};
          for (Index l = 0; l < regions; ++l) {
            kernels::softmax({region_logits.row(r * regions + l), {1, vocabulary}}, words.view());
            kernels::accumulate(words.view(), row, weights.row(r)[l]);
          }
          for (Index v = 0; v < vocabulary; ++v) row[v] = std::log(row[v]);
        }
      });
  return tape.constant(out);
}

// -log p of the targets [R], marginalised over the regions, from the logits of every region.
Var marginal_cost(Var region_logits, Var weights, std::span<const int> targets,
                  double temperature) {
  const Index regions = weights.cols();
  std::vector<int> repeated;
  for (const int target : targets)
    repeated.insert(repeated.end(), static_cast<std::size_t>(regions), target);
  if (temperature != 1)
    region_logits = ops::scale(region_logits, static_cast<Real>(1 / temperature));
  const Var nll = ops::cross_entropy(region_logits, repeated);
  return ops::marginal_nll(weights, ops::reshape(nll, weights.shape()));
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(const DecoderParts& parts, Index sentinel,
                                   const MakeCell& make_cell)
    : attention_(make_image_attention(parts,
                                      {.features = parts.widths.features,
                                       .query = parts.config.hidden,
                                       .sentinel = sentinel,
                                       .regions = parts.widths.grid.cells(),
                                       .keys = parts.widths.keys},
                                      parts.scope.sub("attention"))),
      layout_{.grid = parts.widths.grid, .group = 1, .mask = {}},
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
  return attention_->prepare(tape, {images.features, images.keys, images.pooled}, layout);
}

std::vector<Var> RecurrentDecoder::start(Tape& tape, const AttentionMemory& memory) const {
  std::vector<Var> state = cell_->start(tape, memory);
  if (image_word_) {
    const Var image = (*image_word_)(tape, memory);
    const CellInput in{
        .words = image, .projections = cell_->project_words(tape, image), .state = state};
    const CellQuery cell_query = cell_->make_query(tape, in);
    state = cell_->advance(tape, in, cell_query, {}, nullptr).state;
  }
  for (const Var part : attention_->start(tape, memory)) state.push_back(part);
  return state;
}

std::vector<Var> RecurrentDecoder::region_projections(Tape& tape, const AttentionMemory& memory,
                                                      const AttendContext& context) const {
  if (context.likelihood != HardLikelihood::kMarginal) return {};
  if (memory.projections.empty()) return cell_->project_regions(tape, as_rows(memory.features));
  std::vector<Var> rows;
  for (const Var projection : memory.projections) rows.push_back(as_rows(projection));
  return rows;
}

void RecurrentDecoder::prepare_mixture(Tape& tape, AttentionMemory& memory) const {
  const Shape shape = memory.features.shape();
  memory.projections.clear();
  for (const Var rows : cell_->project_regions(tape, as_rows(memory.features)))
    memory.projections.push_back(ops::reshape(rows, {shape[0], shape[1], rows.cols()}));
}

RecurrentDecoder::CellStep RecurrentDecoder::run_cell(Tape& tape, CellInput in,
                                                      std::span<const Var> state,
                                                      const AttentionMemory& memory,
                                                      AttendContext context,
                                                      std::span<const Var> regions) const {
  in.state = state.first(cell_->parts());
  CellStep out;
  out.cell_query = cell_->make_query(tape, in);
  const CellQuery& cell_query = out.cell_query;
  out.value = cell_->cost_correction(tape, cell_query.query);
  context.sentinel = cell_query.sentinel;
  out.glimpse =
      attention_->attend(tape, cell_query.query, memory, state.subspan(cell_->parts()), context);
  context.see(out.glimpse);
  std::optional<RegionPairs> pairs;
  if (!regions.empty()) pairs.emplace(regions, cell_query.query.rows(), memory, out.glimpse.gate);
  out.cell_output =
      cell_->advance(tape, in, cell_query, out.glimpse.context, pairs ? &*pairs : nullptr);
  out.state = out.cell_output.state;
  out.state.insert(out.state.end(), out.glimpse.state.begin(), out.glimpse.state.end());
  return out;
}

StepOutput RecurrentDecoder::step(Tape& tape, std::span<const int> words,
                                  std::span<const Var> state, const AttentionMemory& memory,
                                  const AttendContext& context) const {
  const Var embedded = ops::embedding(tape.parameter(embedding_), words);
  const CellInput in{
      .words = embedded, .projections = cell_->project_words(tape, embedded), .state = {}};
  CellStep ran =
      run_cell(tape, in, state, memory, context, region_projections(tape, memory, context));
  StepOutput out;
  out.logits =
      ran.cell_output.region_logits
          ? mixture_logits(tape, ran.glimpse.weights.value(), ran.cell_output.region_logits.value())
          : cell_->logits(tape, embedded, ran.cell_output.output_features);
  out.state = std::move(ran.state);
  return out;
}

SequenceOutput RecurrentDecoder::sequence(Tape& tape, const PackedCaptions& captions,
                                          const AttentionMemory& memory,
                                          const AttendContext& context) const {
  SACCADE_CHECK(memory.layout.group == 1, "[decoder] a sequence needs one row per memory");
  const Var words = ops::embedding(tape.parameter(embedding_), captions.inputs);  // [N, E]
  const std::vector<Var> projections = cell_->project_words(tape, words);
  const std::vector<Var> regions = region_projections(tape, memory, context);
  std::vector<Var> state = start(tape, memory);
  SequenceOutput out;
  std::vector<std::vector<Var>> output_features;  // by part, then by word
  std::vector<Var> costs;
  Index first = 0;
  for (Index t = 0; t < captions.steps(); ++t) {
    const Index rows = captions.rows[static_cast<std::size_t>(t)];
    AttendContext at = context;
    at.step = t;
    at.estimator.first = first;
    for (Var& part : state) part = ops::first_rows(part, rows);
    CellInput in{.words = ops::slice_rows(words, first, rows), .projections = {}, .state = {}};
    for (const Var part : projections) in.projections.push_back(ops::slice_rows(part, first, rows));
    CellStep ran = run_cell(tape, in, state, memory, at, regions);
    if (ran.cell_output.region_logits)
      costs.push_back(marginal_cost(
          ran.cell_output.region_logits, ran.glimpse.weights,
          std::span(captions.targets)
              .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          captions.temperature));
    state = std::move(ran.state);
    output_features.resize(ran.cell_output.output_features.size());
    for (std::size_t k = 0; k < output_features.size(); ++k)
      output_features[k].push_back(ran.cell_output.output_features[k]);
    out.add_word({&ran.glimpse, 1});
    if (ran.value) out.values.push_back(ran.value);
    first += rows;
  }
  if (!costs.empty()) {
    out.nll = ops::concat_rows(costs);
    return out;
  }
  std::vector<Var> all;
  for (const std::vector<Var>& part : output_features) all.push_back(ops::concat_rows(part));
  out.logits = cell_->logits(tape, words, all);
  out.nll = word_costs(out.logits, captions);
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
