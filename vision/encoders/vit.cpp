#include "vision/encoders/vit.h"

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"
#include "vision/encoders/cnn.h"

namespace saccade {

namespace {

// The grid of patches on an input of these extents.
GridShape patches_over(const GridSize& in, const EncoderConfig& config, const VitParts& parts) {
  const Index patch = parts.patch;
  if (in.rows % patch != 0 || in.cols % patch != 0)
    throw UsageError(
        config.type == "hub"
            ? str("the network of encoder.weights cuts pictures into patches of ", patch, " x ",
                  patch, " pixels, which do not divide ", in.rows, " x ", in.cols,
                  "; set encoder.image_size and image_width to multiples of ", patch)
            : str("encoder.vit.patch ", patch, " does not divide ", in.rows, " x ", in.cols,
                  config.type == "hybrid"
                      ? ", the cells of the CNN's grid; change it, image_size or channels"
                      : " pixels; change it or encoder.image_size"));
  if (config.vit.overlap > patch)
    throw UsageError(str("encoder.vit.overlap ", config.vit.overlap,
                         " is more than encoder.vit.patch ", patch,
                         ": a patch sees no further than its neighbours"));
  return {{.rows = in.rows / patch, .cols = in.cols / patch}, parts.width};
}

VitParts parts_of(const VitConfig& config) {
  const VitWidths widths = resolved(config);
  return {.width = widths.width,
          .layers = widths.layers,
          .heads = widths.heads,
          .patch = config.patch,
          .hidden = config.multiple * widths.width,
          .class_token = config.class_token,
          .registers = config.registers,
          .last_norm = config.norm == NormPlacement::kPre};
}

// Appends the numbers of `count` consecutive rows.
void append_run(std::vector<int>& rows, Index first, Index count) {
  for (Index r = 0; r < count; ++r) rows.push_back(static_cast<int>(first + r));
}

// A range of the tokens of every image, [B, T, D] -> [B, count, D].
Var tokens_from(Var tokens, Index first, Index count) {
  const Index batch = tokens.shape()[0], all = tokens.shape()[1], width = tokens.shape()[2];
  std::vector<int> rows;
  for (Index b = 0; b < batch; ++b) append_run(rows, b * all + first, count);
  return ops::reshape(ops::embedding(ops::reshape(tokens, {batch * all, width}), rows),
                      {batch, count, width});
}

// Whether published weights have these blocks.
bool is_published(const VitConfig& config) {
  return config.norm == NormPlacement::kPre &&
         (config.attention.type == "self_attention" || config.attention.type == "window");
}

// Lets the keys of a block start with the weights of its queries.
void start_mimetically(const ParamScope& block, const std::string& mechanism) {
  const std::string attention = block.sub("attention").prefix();
  const std::vector<std::string>& maps = sequence_attentions().at(mechanism).maps;
  if (maps.empty())
    throw UsageError(
        str("encoder.vit.start mimetic needs an encoder.vit.attention.type other than ", mechanism,
            ": it lets keys start as queries, and ", mechanism, " has one map for both"));
  for (const std::string& map : maps)
    block.store().start_as(attention + ".key" + map + ".weight",
                           attention + ".query" + map + ".weight");
}

PositionKind added_positions(const EncoderConfig& config) {
  if (config.positions == PositionKind::kCoordinates)
    throw UsageError(
        "encoder.positions coordinates widens the features, but a vision transformer adds to them; "
        "choose sinusoidal, sinusoidal_2d, learned or none");
  return config.positions;
}

}  // namespace

GridShape VitEncoder::extents_of_input(const EncoderConfig& config) const {
  return stem_ ? stem_->grid() : GridShape{{.rows = config.height(), .cols = config.width()}, 3};
}

VitEncoder::VitEncoder(const EncoderConfig& config, const ParamScope& scope,
                       std::unique_ptr<Encoder> stem)
    : VitEncoder(config, parts_of(config.vit), scope, std::move(stem), false) {}

VitEncoder::VitEncoder(const EncoderConfig& config, const VitParts& parts, const ParamScope& scope,
                       std::string graph)
    : VitEncoder(config, parts, scope, nullptr, true) {
  graph_ = std::move(graph);
  added_.emplace(scope.sub("positions"), config.positions, grid_);
}

VitEncoder::VitEncoder(const EncoderConfig& config, const VitParts& parts, const ParamScope& scope,
                       std::unique_ptr<Encoder> stem, bool published)
    : stem_(std::move(stem)),
      input_shape_({config.height(), config.width(), 3}),
      parts_(parts),
      placeless_((parts.class_token ? 1 : 0) + parts.registers),
      grid_(patches_over(extents_of_input(config), config, parts)),
      patch_(scope.sub("embedding.patch"), {.in = extents_of_input(config).features,
                                            .out = grid_.features,
                                            .kernel = parts.patch + 2 * config.vit.overlap,
                                            .stride = parts.patch,
                                            .padding = config.vit.overlap,
                                            .bias = parts.patch_bias}),
      learned_positions_(published || config.positions == PositionKind::kLearned),
      as_published_(is_published(config.vit)),
      positions_(scope.sub("embedding.positions"),
                 published ? PositionKind::kLearned : added_positions(config), grid_) {
  if (parts.first_norm)
    first_norm_.emplace(scope.sub("embedding.norm"), grid_.features, parts.epsilon);
  if (parts.last_norm) norm_.emplace(scope.sub("norm"), grid_.features, parts.epsilon);
  if (placeless_ > 0)
    tokens_ = scope.sub("embedding")
                  .declare("tokens", {placeless_, grid_.features}, Init::normal(0.02), Decay::kNo);
  const TransformerBlockOptions options{.features = parts.width,
                                        .hidden = parts.hidden,
                                        .activation = parts.activation,
                                        .norm = config.vit.norm,
                                        .dropout = config.vit.dropout,
                                        .epsilon = parts.epsilon,
                                        .scaled = parts.layer_scale};
  for (Index layer = 0; layer < parts.layers; ++layer) {
    const ParamScope block = scope.sub("block" + std::to_string(layer + 1));
    blocks_.emplace_back(block, options, [&](const ParamScope& own) {
      return make_sequence_attention(own, config.vit.attention,
                                     {.features = parts.width,
                                      .heads = parts.heads,
                                      .key = published ? "encoder.heads" : "encoder.vit.heads"},
                                     {.grid = grid_, .placeless = placeless_}, layer);
    });
    if (config.vit.start == VitStart::kMimetic) start_mimetically(block, config.vit.attention.type);
  }
}

Var VitEncoder::tokens(Tape& tape, Var pixels) const {
  const Index batch = pixels.shape()[0], regions = grid_.cells(), width = grid_.features;
  Var image = pixels;
  if (stem_) {
    const GridShape grid = stem_->grid();
    image =
        ops::reshape(stem_->forward(tape, pixels), {batch, grid.rows, grid.cols, grid.features});
  }
  const Var patches = positions_(tape, ops::reshape(patch_(tape, image), {batch, regions, width}));
  const auto normed = [&](Var tokens) {
    return first_norm_ ? (*first_norm_)(tape, tokens) : tokens;
  };
  if (placeless_ == 0) return normed(patches);
  // Selects the rows of the batch in order: for each image the shared tokens, then its own patches.
  std::vector<int> rows;
  for (Index b = 0; b < batch; ++b) {
    append_run(rows, 0, placeless_);
    append_run(rows, placeless_ + b * regions, regions);
  }
  const std::vector<Var> parts{tape.parameter(tokens_),
                               ops::reshape(patches, {batch * regions, width})};
  return normed(ops::reshape(ops::embedding(ops::concat_rows(parts), rows),
                             {batch, placeless_ + regions, width}));
}

GridShape VitEncoder::grid() const {
  GridShape grid = grid_;
  if (added_) grid.features = added_->features();
  return grid;
}

Var VitEncoder::patches_of(Var tokens) const {
  return placeless_ == 0 ? tokens : tokens_from(tokens, placeless_, grid_.cells());
}

Var VitEncoder::forward(Tape& tape, Var pixels) const {
  return features(tape, last_tokens(tape, pixels, {}));
}

Var VitEncoder::features(Tape& tape, Var tokens) const {
  const Var patches = patches_of(tokens);
  const Var features = norm_ ? (*norm_)(tape, patches) : patches;
  return added_ ? (*added_)(tape, features) : features;
}

Var VitEncoder::class_features(Tape& tape, Var tokens) const {
  SACCADE_CHECK(parts_.class_token, "[vit] has no class token");
  const Var first = tokens_from(tokens, 0, 1);
  const Var vectors = ops::reshape(first, {first.shape()[0], first.shape()[2]});
  return norm_ ? (*norm_)(tape, vectors) : vectors;
}

Var VitEncoder::placeless_features(Tape& tape, Var tokens) const {
  SACCADE_CHECK(placeless_ > 0, "[vit] has no tokens without a place");
  const Var first = tokens_from(tokens, 0, placeless_);
  return norm_ ? (*norm_)(tape, first) : first;
}

std::vector<EncoderStage> VitEncoder::stages() const {
  std::vector<EncoderStage> out;
  const auto add = [&](const std::string& name) {
    out.push_back({.name = name, .prefixes = {name}});
  };
  if (stem_)
    for (const EncoderStage& stage : stem_->stages()) {
      EncoderStage& own =
          out.emplace_back(EncoderStage{.name = "stem." + stage.name, .prefixes = {}});
      for (const std::string& prefix : stage.prefixes) own.prefixes.push_back("stem." + prefix);
    }
  add("embedding");
  for (std::size_t b = 1; b <= blocks_.size(); ++b) add("block" + std::to_string(b));
  return out;
}

TorchWeights VitEncoder::pretrained() const {
  if (stem_) return Encoder::pretrained();
  if (!as_published_)
    throw UsageError(
        "encoder.weights needs encoder.vit.attention.type self_attention or window, and "
        "encoder.vit.norm pre: published weights belong to such blocks");
  return vit_weights({.grid = grid_,
                      .blocks = static_cast<Index>(blocks_.size()),
                      .left_out = parts_.left_out,
                      .class_token = parts_.class_token,
                      .registers = parts_.registers,
                      .positions = learned_positions_,
                      .rule = parts_.rule,
                      .last_norm = parts_.last_norm,
                      .placed = parts_.placed});
}

std::unique_ptr<Encoder> make_vit_encoder(const EncoderConfig& config, const ParamScope& scope) {
  return std::make_unique<VitEncoder>(config, scope, nullptr);
}

std::unique_ptr<Encoder> make_hybrid_encoder(const EncoderConfig& config, const ParamScope& scope) {
  EncoderConfig stem = config;
  stem.positions = PositionKind::kNone;
  return std::make_unique<VitEncoder>(config, scope,
                                      std::make_unique<CnnEncoder>(stem, scope.sub("stem")));
}

}  // namespace saccade
