#include "captioning/model.h"

#include "core/base/error.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// How fast the encoder's stages learn, beside the decoder.
void set_rates(const ExperimentConfig& config, const Encoder& encoder, ParameterStore& parameters) {
  const EncoderConfig& from = config.encoder;
  const std::vector<EncoderStage> stages = encoder.stages();
  const auto count = static_cast<std::int64_t>(stages.size());
  if (from.frozen_stages > count)
    throw UsageError(str("encoder.frozen_stages is ", from.frozen_stages, "; encoder.type ",
                         enum_name(from.type), " has ", count, " stages"));
  if (from.lr) parameters.set_rate("encoder", *from.lr / config.optimizer.lr);
  for (std::int64_t s = 0; s < from.frozen_stages; ++s)
    for (const std::string& prefix : stages[static_cast<std::size_t>(s)].prefixes)
      parameters.set_rate("encoder." + prefix, 0);
}

}  // namespace

Captioner::Captioner(const ExperimentConfig& config, Vocabulary vocabulary,
                     const GridShape& frozen_grid)
    : Captioner(config, std::move(vocabulary), frozen_grid, Declared{}) {
  parameters_.initialise(static_cast<std::uint64_t>(config.seed));
  if (encoder_) encoder_->start(parameters_);
}

void Captioner::check(const ExperimentConfig& config) {
  if (!is_frozen(config.encoder)) const Captioner unused(config, Vocabulary(), {}, Declared{});
}

Captioner::Captioner(const ExperimentConfig& config, Vocabulary vocabulary,
                     const GridShape& frozen_grid, Declared)
    : vocabulary_(std::move(vocabulary)) {
  if (!is_frozen(config.encoder)) {
    encoder_ = make_encoder(config.encoder, ParamScope(parameters_, "encoder"));
    grid_ = encoder_->grid();
    input_shape_ = encoder_->input_shape();
    set_rates(config, *encoder_, parameters_);
  } else {
    SACCADE_ASSERT(frozen_grid.size() > 0, "a frozen encoder without a grid");
    input_shape_ = {frozen_grid.regions(), frozen_grid.features};
    positions_ = std::make_unique<GridPositions>(
        ParamScope(parameters_, "positions"),
        adds_positions_inside(config.encoder) ? PositionKind::kNone : config.encoder.positions,
        GridExtents{
            .rows = frozen_grid.rows, .cols = frozen_grid.cols, .features = frozen_grid.features});
    grid_ = {
        .rows = frozen_grid.rows, .cols = frozen_grid.cols, .features = positions_->features()};
  }
  if (config.encoder.refine.layers > 0)
    refinement_ = std::make_unique<Refinement>(
        ParamScope(parameters_, "refine"), config.encoder.refine,
        GridExtents{.rows = grid_.rows, .cols = grid_.cols, .features = grid_.features});
  decoder_ = make_decoder(config.decoder, config.attention,
                          {.features = grid_.features,
                           .vocabulary = vocabulary_.size(),
                           .rows = grid_.rows,
                           .cols = grid_.cols},
                          ParamScope(parameters_, "decoder"));
  parameters_.set_apart("decoder.value");  // the learned baseline of hard attention
  if (config.decoder.embeddings.frozen) parameters_.set_rate("decoder.embedding", 0);
  has_attention_ = config.attention.score != ScoreKind::kNone;
}

Var Captioner::encode_grid(Tape& tape, ConstView input) const {
  const Var x = tape.constant(input);
  return encoder_ ? encoder_->forward(tape, x) : (*positions_)(tape, x);
}

Var Captioner::encode(Tape& tape, ConstView input) const {
  const Var grid = encode_grid(tape, input);
  return refinement_ ? (*refinement_)(tape, grid, {}) : grid;
}

SearchOptions search_options(const ExperimentConfig& config, const Vocabulary& vocabulary) {
  std::vector<int> forbidden;
  for (const std::string& word : config.search.forbidden)
    if (const Index id = vocabulary.id(word); id >= Vocabulary::kSpecials)
      forbidden.push_back(static_cast<int>(id));
  return {.mode = config.search.mode,
          .beam = config.search.beam,
          .groups = config.search.groups,
          .diversity = config.search.diversity,
          .max_length = config.search.max_length,
          .length_normalization = config.search.length_normalization,
          .temperature = config.search.temperature,
          .top_k = config.search.top_k,
          .top_p = config.search.top_p,
          .rules = {.min_length = config.search.min_length,
                    .no_repeat_ngram = config.search.no_repeat_ngram,
                    .forbidden = std::move(forbidden)},
          .regime = evaluation_regimes(config).front(),
          .seed = static_cast<std::uint64_t>(config.seed)};
}

std::vector<Regime> evaluation_regimes(const ExperimentConfig& config) {
  const AttentionConfig& attention = config.attention;
  switch (attention.selection) {
    case SelectionKind::kSoft:
    case SelectionKind::kTopK:
      // Monotonic attention trains on its expectation in order to choose in the end.
      if (attention.scope == ScopeKind::kMonotonic && attention.heads == 1)
        return {Regime::kExpectation, Regime::kArgmax};
      return {Regime::kExpectation};
    case SelectionKind::kHard:
    case SelectionKind::kGumbelSt:
      // A vector gate scales a region's channels apart, and a transformer's layers bend what was
      // seen: there is no cheap sum over regions then.
      if (attention.gate == GateKind::kVector || config.decoder.type == DecoderKind::kTransformer)
        return {Regime::kArgmax, Regime::kExpectation, Regime::kSample};
      return {Regime::kArgmax, Regime::kExpectation, Regime::kSample, Regime::kMarginal};
    case SelectionKind::kArgmax:
      return {Regime::kArgmax, Regime::kExpectation};
  }
  throw InternalError("unknown selection");
}

}  // namespace saccade
