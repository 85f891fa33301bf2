#include "captioning/model/model.h"

#include <algorithm>
#include <utility>

#include "captioning/model/decoders/decoder_traits.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/grid_fusion.h"

namespace saccade {

namespace {

// Freezes the encoder's first stages.
void freeze_stages(const EncoderConfig& config, const Encoder& encoder,
                   ParameterStore& parameters) {
  const std::vector<EncoderStage> stages = encoder.stages();
  const auto count = static_cast<std::int64_t>(stages.size());
  if (config.frozen_stages > count)
    throw UsageError(str("encoder.frozen_stages is ", config.frozen_stages, "; encoder.type ",
                         config.type, " has ", count, " stages"));
  for (std::int64_t s = 0; s < config.frozen_stages; ++s)
    for (const std::string& prefix : stages[static_cast<std::size_t>(s)].prefixes)
      parameters.set_rate("encoder." + prefix, 0);
}

// Freezes what decoder.frozen says.
void freeze_decoder(FrozenDecoder frozen, ParameterStore& parameters) {
  if (frozen == FrozenDecoder::kNone) return;
  for (const ParameterInfo& info : parameters.infos())
    if (info.name.starts_with("decoder.") &&
        (frozen == FrozenDecoder::kAll || !reads_image(info.name)))
      parameters.set_rate(info.name, 0);
}

// [B, L] of 0 and 1. None where no region is masked.
Var mask_of(Tape& tape, std::span<const std::uint8_t> mask, Index regions) {
  if (mask.empty()) return {};
  const auto size = static_cast<Index>(mask.size());
  const View out{tape.scratch(size), {size / regions, regions}};
  std::copy(mask.begin(), mask.end(), out.data);
  return tape.constant(out);
}

// Sets whole regions and their keys to zeros while the tape trains, and scales the others so that
// means stay the same.
void drop_regions(Tape& tape, EncodedImages& images, double rate) {
  if (!tape.training() || rate == 0) return;
  const Index count = images.features.shape()[0] * images.features.shape()[1];
  const View kept{tape.scratch(count), {count, 1}};
  Random random(tape.next_key(Stream::kDropout));
  for (Index r = 0; r < count; ++r)
    kept[r] = random.uniform() < rate ? Real{0} : static_cast<Real>(1 / (1 - rate));
  for (Var* vectors : {&images.features, &images.keys}) {
    if (!*vectors) continue;
    const Shape shape = vectors->shape();
    const Var rows = ops::reshape(*vectors, {count, shape[2]});
    *vectors = ops::reshape(ops::scale_rows(rows, tape.constant(kept)), shape);
  }
}

// Where the regions of inputs lie, [B, L], the whole picture where they are padding; empty: they
// are the cells of a grid, or somewhere their places are not known.
std::vector<RegionBox> boxes_of(const InputView& input, const GridShape& grid) {
  std::vector<RegionBox> out;
  if (!grid.scattered || grid.in_time) return out;
  for (const PictureArea& area : input.areas) {
    if (!area.places || area.places->boxes.empty()) return {};
    out.insert(out.end(), area.places->boxes.begin(), area.places->boxes.end());
    out.resize(out.size() + static_cast<std::size_t>(grid.cells()) - area.places->boxes.size());
  }
  return out;
}

// Whether a part of an input may be padding: that around a picture, or behind a text.
bool pads_inputs(const EncoderConfig& encoder) {
  return encoder_traits(encoder).reads_text || encoder.resize == ResizeMode::kPad;
}

// What needs rows and columns is refused where regions lie anywhere in the picture.
void check_scattered(const ModelConfig& config, const GridShape& frozen_grid) {
  if (!frozen_grid.scattered) return;
  const auto need = [](bool holds, const std::string& key) {
    if (!holds)
      throw UsageError(str(key,
                           ": the regions of encoder.features lie in boxes anywhere in the photo, "
                           "a different number in each, and it goes by rows and columns"));
  };
  const auto& refine = sequence_attentions().at(config.encoder.refine.type);
  // Frames are a row, and what lies behind the last is padding.
  if (frozen_grid.in_time) {
    const auto weighs = [](bool holds, const std::string& key) {
      if (!holds)
        throw UsageError(str(key,
                             ": the frames of encoder.features differ in number, and it mixes all "
                             "of them by learned weights, padding too; choose another"));
    };
    weighs(config.attention.mechanism != "linformer", "attention.mechanism linformer");
    weighs(config.encoder.refine.layers == 0 || refine.weighs_positions,
           "encoder.refine.type " + config.encoder.refine.type);
    if (config.encoder.refine.goes_by_boxes())
      throw UsageError(
          "encoder.refine.type geometry goes by the boxes of regions, and the frames of "
          "encoder.features lie in time; choose self_attention, and encoder.positions sinusoidal");
    return;
  }
  const LocalizerConfig& localizer = config.supervision.localizer;
  need(config.attention.scope == "global", "attention.scope " + config.attention.scope);
  need(config.attention.mechanism != "linformer", "attention.mechanism linformer");
  need(localizer.weight == 0 || (localizer.smoothing == 0 && localizer.centre == 0),
       "objective.supervision.localizer.smoothing or centre above 0");
  if (config.encoder.refine.layers == 0) return;
  need(refine.weighs_positions && config.encoder.refine.type != "window" &&
           config.encoder.refine.type != "graph",
       "encoder.refine.type " + config.encoder.refine.type);
}

// Checks that the vector of the image as a whole exists and is used.
void check_pooled(const ModelConfig& config) {
  const EncoderConfig& encoder = config.encoder;
  if (!encoder.features.pooled.empty() && encoder_traits(encoder).reads_features) {
    if (encoder.pooled != PooledKind::kMean)
      throw UsageError(
          "encoder.features.pooled and encoder.pooled class_token both say what stands for the "
          "photo; leave one of them out");
    if (reads_pooled(config.decoder)) return;
    throw UsageError(
        "encoder.features.pooled has no effect: nothing reads the vector of the photo; set "
        "decoder.first_state pooled, or decoder.image every_word or first_step");
  }
  if (encoder.pooled == PooledKind::kMean) return;
  const bool token = encoder.pooled == PooledKind::kClassToken;
  const auto has = [](bool of_token) {
    return of_token ? [](const EncoderTraits& one) { return one.can_have_class_token(); }
                    : [](const EncoderTraits& one) { return one.has_last_state; };
  };
  const std::string key = str("encoder.pooled ", enum_name(encoder.pooled), " needs ");
  if (token && !is_frozen(encoder) && encoder.positions == PositionKind::kCoordinates)
    throw UsageError(key +
                     "other encoder.positions than coordinates, which widens the regions and not "
                     "the token; set it to none, sinusoidal_2d or learned");
  if (!has(token)(encoder_traits(encoder)))
    throw UsageError(str(key, "encoder.type ", encoders_with(has(token)), ": ", encoder.type,
                         token ? " has no class token" : " has no states"));
  if (token && encoder_traits(encoder).heads > 0 && encoder.type != "hub" &&
      !encoder.vit.class_token)
    throw UsageError(key + "encoder.vit.class_token true");
  if (is_frozen(encoder) && !encoder_traits(encoder).reads_features)
    throw UsageError(key +
                     "an encoder that is trained: of a frozen one only the regions' features are "
                     "kept; set encoder.frozen_stages to the number of its stages");
  if (reads_pooled(config.decoder)) return;
  if (decoder_traits(config.decoder).first_state)
    throw UsageError(
        key +
        "decoder.first_state pooled, or decoder.image attention_and_pooled, every_word "
        "or first_step: nothing else is made of it");
  throw UsageError(
      str(key, "decoder.image attention_and_pooled, every_word or first_step: decoder.type ",
          config.decoder.type,
          " has no first state, and would never read it; choose one of them or "
          "decoder.type ",
          decoders_with(config.decoder, [](const DecoderTraits& one) { return one.first_state; })));
}

// Tokens without a place are regions for the decoder's attention alone.
void check_placeless(const ModelConfig& config) {
  const EncoderConfig& encoder = config.encoder;
  if (!encoder.placeless) return;
  const auto need = [](bool holds, const char* what, const char* why) {
    if (!holds) throw UsageError(str("encoder.placeless true needs ", what, ": ", why));
  };
  need(!is_frozen(encoder), "an encoder that is trained",
       "of a frozen one only the regions' features are kept; set encoder.frozen_stages to the "
       "number of its stages");
  if (encoder.type == "hub") hub_plan(encoder);  // says what is wrong with its files
  need(encoder_traits(encoder).has_tokens, "a vision transformer",
       "other networks have no tokens without a place");
  need(!pads_inputs(encoder), "encoder.resize other than pad",
       "padding is masked by places; choose squash or crop");
  need(encoder.refine.layers == 0, "encoder.refine.layers 0", "a refinement is of the grid");
  need(config.has_maps(), "a decoder whose words attend to regions", "nothing else reads them");
  need(config.attention.mechanism != "linformer" && config.attention.scope == "global",
       "attention.mechanism other than linformer and attention.scope global",
       "these go by the places of regions");
  need(!config.supervision.any(), "objective.supervision without boxes and localizer",
       "these say what weight the cells of the grid should have");
}

// Regions before the words are read as they are.
void check_prefix(const ModelConfig& config) {
  if (config.decoder.image != ImageEntry::kPrefix) return;
  if (pads_inputs(config.encoder))
    throw UsageError(
        "decoder.image prefix needs encoder.resize other than pad, and pictures: padding would "
        "stand among the words; choose squash or crop");
  if (config.supervision.any())
    throw UsageError(
        "decoder.image prefix needs objective.supervision without boxes and localizer: words share "
        "one attention with the regions, whose weights are no shares of one");
}

// Padding is left out of what a region or a word attends to; mixtures of all regions cannot do
// that.
void check_padding(const ModelConfig& config) {
  if (!pads_inputs(config.encoder)) return;
  const auto refuse = [&](const std::string& key) {
    const bool text = encoder_traits(config.encoder).reads_text;
    throw UsageError(
        str(text ? str("encoder.type ", config.encoder.type) : "encoder.resize pad",
            " cannot be combined with ", key,
            " linformer: it mixes all regions by learned weights, padding too; choose another",
            text ? "" : ", or encoder.resize squash or crop"));
  };
  if (encoder_traits(config.encoder).reads_text && config.encoder.refine.goes_by_boxes())
    throw UsageError(
        "encoder.refine.type geometry goes by the boxes of regions, and the tokens of a text have "
        "none; choose another");
  if (config.attention.mechanism == "linformer") refuse("attention.mechanism");
  if (encoder_traits(config.encoder).has_tokens &&
      !sequence_attentions().at(config.encoder.vit.attention.type).weighs_positions)
    refuse("encoder.vit.attention.type");
  if (config.encoder.refine.layers > 0 &&
      !sequence_attentions().at(config.encoder.refine.type).weighs_positions)
    refuse("encoder.refine.type");
}

}  // namespace

CaptionModel::CaptionModel(const ModelConfig& config, Vocabulary vocabulary,
                           const GridShape& frozen_grid, const CheckDeclared& check)
    : CaptionModel(config, std::move(vocabulary), frozen_grid, Declared{}) {
  if (check) {
    check(parameters_);
    parameters_.allocate();
  } else {
    parameters_.initialise(static_cast<std::uint64_t>(config.seed));
  }
  if (encoder_) encoder_->start(parameters_);
}

CaptionModel CaptionModel::declared(const ModelConfig& config, Vocabulary vocabulary,
                                    const GridShape& frozen_grid) {
  return CaptionModel(config, std::move(vocabulary), frozen_grid, Declared{});
}

void CaptionModel::check(const ModelConfig& config, const GridShape& frozen_grid) {
  check_layers(config.encoder);
  check_pooled(config);
  check_padding(config);
  check_placeless(config);
  check_scattered(config, frozen_grid);
  check_prefix(config);
  if (!is_frozen(config.encoder) || frozen_grid.size() > 0)
    declared(config, Vocabulary(), frozen_grid);
}

CaptionModel::CaptionModel(const ModelConfig& config, Vocabulary vocabulary,
                           const GridShape& frozen_grid, Declared)
    : vocabulary_(std::move(vocabulary)),
      has_attention_(config.has_attention()),
      has_maps_(config.has_maps()),
      feature_dropout_(config.encoder.feature_dropout),
      region_dropout_(config.encoder.region_dropout),
      pads_(pads_inputs(config.encoder) || (is_frozen(config.encoder) && frozen_grid.scattered)),
      pooled_(config.encoder.pooled) {
  check_layers(config.encoder);
  check_pooled(config);
  check_padding(config);
  check_placeless(config);
  check_scattered(config, frozen_grid);
  check_prefix(config);
  if (!is_frozen(config.encoder)) {
    encoder_ = make_encoder(config.encoder, ParamScope(parameters_, "encoder"));
    if (config.encoder.placeless) placeless_ = encoder_->token_encoder()->placeless();
    grid_ = encoder_->grid();
    input_shape_ = encoder_->input_shape();
    freeze_stages(config.encoder, *encoder_, parameters_);
  } else {
    SACCADE_ASSERT(frozen_grid.size() > 0, "a frozen encoder without a grid");
    input_shape_ = {frozen_grid.vectors(), frozen_grid.features};
    // The numbers of boxes are among the features of scattered regions already, and the times of
    // frames differ.
    const bool learned = config.encoder.positions == PositionKind::kLearned;
    const bool inside = adds_positions_inside(config.encoder) ||
                        (frozen_grid.scattered && !(frozen_grid.in_time && learned));
    adds_times_ = frozen_grid.in_time && config.encoder.positions == PositionKind::kSinusoidal;
    positions_ = std::make_unique<GridPositions>(
        ParamScope(parameters_, "positions"),
        inside ? PositionKind::kNone : config.encoder.positions, frozen_grid);
    grid_ = frozen_grid;
    grid_.pooled = 0;
    grid_.features = positions_->features();
  }
  const EncoderConfig& encoder = config.encoder;
  if (!encoder.keys.empty() || !encoder.values.empty() || encoder.project > 0) {
    parts_ = std::make_unique<RegionParts>(ParamScope(parameters_, "project"), encoder, grid_);
    grid_.features = parts_->features();
  }
  grid_.widths.clear();
  if (config.encoder.refine.layers > 0)
    refinement_ = std::make_unique<Refinement>(ParamScope(parameters_, "refine"),
                                               config.encoder.refine, grid_);
  decoder_ = make_decoder(config.decoder, config.attention,
                          {.features = grid_.features,
                           .vocabulary = vocabulary_.size(),
                           .grid = grid_,
                           .placeless = placeless_,
                           .keys = parts_ ? parts_->keys() : 0},
                          ParamScope(parameters_, "decoder"));
  if (const LocalizerConfig& localizer = config.supervision.localizer; localizer.weight > 0) {
    const Index keys = parts_ ? parts_->keys() : 0;
    const Index scored_features = keys > 0 ? keys : grid_.features;
    localizer_ = std::make_unique<WordLocalizer>(
        ParamScope(parameters_, "localizer", ParameterUse::kSupervision),
        LocalizerWidths{.features = scored_features,
                        .vocabulary = vocabulary_.size(),
                        .hidden = localizer.hidden},
        ScoreMapOptions{.sharpness = localizer.sharpness,
                        .smoothing = localizer.smoothing,
                        .centre = localizer.centre,
                        .grid = grid_});
    parameters_.set_apart("localizer");
  }
  freeze_decoder(config.decoder.frozen, parameters_);
  if (config.decoder.embeddings.frozen)
    parameters_.set_rate(parameters_.info(decoder_->word_parameters().embedding).name, 0);
}

std::vector<std::uint8_t> CaptionModel::mask(const InputView& input) const {
  std::vector<std::uint8_t> mask;
  if (!pads_) return mask;
  SACCADE_CHECK(static_cast<Index>(input.areas.size()) == input.values.shape[0],
                "[model] inputs are padded; it is known of ", input.areas.size(), " of ",
                input.values.shape[0], " where");
  for (const PictureArea& area : input.areas) add_mask(area, grid_, mask);
  return mask;
}

EncodedImages CaptionModel::split_pooled(Tape& tape, Var x) const {
  const Index images = x.shape()[0], vectors = x.shape()[1], width = x.shape()[2];
  const Index regions = grid_.cells();
  if (vectors == regions) return {x};
  // What positions append to regions is 0 of the photo.
  const Index wide = positions_ ? positions_->features() : width;
  const View features{tape.scratch(images * regions * width), {images, regions, width}},
      pooled{tape.scratch(images * wide), {images, wide}};
  std::fill_n(pooled.data, pooled.shape.size(), Real{0});
  for (Index i = 0; i < images; ++i) {
    const Real* from = x.value().data + i * vectors * width;
    std::copy_n(from, regions * width, features.data + i * regions * width);
    std::copy_n(from + regions * width, width, pooled.data + i * wide);
  }
  return {tape.constant(features), {}, tape.constant(pooled)};
}

EncodedImages CaptionModel::encode_grid(Tape& tape, const InputView& input,
                                        std::span<const std::uint8_t> mask,
                                        const WatchBlock& watch) const {
  const Var x = tape.constant(input.values), masks = mask_of(tape, mask, grid_.cells());
  if (!encoder_) {
    const EncodedImages given = split_pooled(tape, x);
    if (!adds_times_) return {(*positions_)(tape, given.features), masks, given.pooled};
    std::vector<RegionPlaces> places;
    for (const PictureArea& area : input.areas) places.push_back(area.places);
    return {add_times(tape, given.features, places), masks, given.pooled};
  }
  if (x.shape().rank() == 3) {  // what the encoder gave another time
    const EncodedImages given = split_pooled(tape, x);
    return {given.features, masks, given.pooled};
  }
  const TokenEncoder* encoder = encoder_->token_encoder();
  if (!encoder) {
    const Var features =
        pads_ ? encoder_->forward_padded(tape, x, input.areas) : encoder_->forward(tape, x);
    const bool state = pooled_ == PooledKind::kLastState;
    return {features, masks, state ? encoder_->last_state(tape, features, input.areas) : Var{}};
  }
  const Var tokens = encoder->last_tokens(tape, x, mask, watch);
  Var features = encoder->features(tape, tokens);
  if (placeless_ > 0)
    features = ops::append_positions(features, encoder->placeless_features(tape, tokens));
  return {features, masks,
          pooled_ == PooledKind::kClassToken ? encoder->class_features(tape, tokens) : Var{}};
}

GridShape CaptionModel::encoder_grid() const {
  if (!encoder_) {
    GridShape grid = grid_;
    grid.features = input_shape_[1];
    grid.pooled = input_shape_[0] - grid.cells();
    return grid;
  }
  GridShape grid = encoder_->grid();
  grid.pooled = pooled_ == PooledKind::kMean ? 0 : 1;
  return grid;
}

EncodedImages CaptionModel::encode_regions(Tape& tape, const InputView& input) const {
  return encode_grid(tape, input, mask(input), {});
}

EncodedImages CaptionModel::encode(Tape& tape, const InputView& input,
                                   const EncoderWatch& watch) const {
  const std::vector<std::uint8_t> region_mask = mask(input);
  EncodedImages images = encode_grid(tape, input, region_mask, watch.tokens);
  if (parts_) parts_->apply(tape, images);
  if (refinement_) {
    const std::vector<RegionBox> boxes = boxes_of(input, grid_);
    images.features = (*refinement_)(tape, images.features,
                                     {.allowed = region_mask, .boxes = boxes}, watch.regions);
  }
  drop_regions(tape, images, region_dropout_);
  images.features = ops::dropout(images.features, feature_dropout_);
  if (images.keys) images.keys = ops::dropout(images.keys, feature_dropout_);
  return images;
}

}  // namespace saccade
