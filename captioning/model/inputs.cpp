#include "captioning/model/inputs.h"

#include <algorithm>

#include "captioning/data/sequences/source_picture.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/grid_fusion.h"
#include "vision/encoders/published_preprocessing.h"
#include "vision/encoders/text_input.h"

namespace saccade {

namespace {

Normalization normalization_of(const EncoderConfig& config) {
  if (const auto colours = published_colours(config.pixels)) {
    Normalization published;
    for (std::size_t c = 0; c < 3; ++c) {
      published.mean[c] = 255 * colours->mean[c];
      published.scale[c] = 1 / (255 * colours->deviation[c]);
    }
    return published;
  }
  Normalization normalization;
  normalization.mean.fill(static_cast<float>(config.input_mean));
  normalization.scale.fill(static_cast<float>(1 / config.input_scale));
  return normalization;
}

// Converts pixels of the network's input to shares of what is seen.
AugmentOptions augment_options(const EncoderConfig& config) {
  const AugmentConfig& augment = config.augment;
  if (2 * augment.shift > std::min(config.height(), config.width())) {
    throw UsageError(str("encoder.augment.shift is ", augment.shift,
                         " pixels, more than half of the network's input, ", config.height(), " x ",
                         config.width()));
  }
  const auto shift = static_cast<double>(augment.shift);
  return {.flip = augment.flip ? 0.5 : 0,
          .scale = augment.scale,
          .shift_x = shift / static_cast<double>(config.width()),
          .shift_y = shift / static_cast<double>(config.height()),
          .color = augment.color};
}

bool changes_pictures(const AugmentConfig& augment) {
  return augment.flip || augment.shift > 0 || augment.scale < 1 || augment.color > 0;
}

// The number of views of each training photo. The features of a frozen encoder are computed once,
// for this number.
Index frozen_views(const AugmentConfig& augment) {
  const bool only_flips =
      augment.flip && augment.shift == 0 && augment.scale == 1 && augment.color == 0;
  if (augment.views <= 1) {
    if (!changes_pictures(augment)) return 1;
    throw UsageError(
        "encoder.augment changes the photos of a frozen encoder, whose features are computed once, "
        "so it needs views; set encoder.augment.views to their number, at least 2");
  }
  if (!changes_pictures(augment))
    throw UsageError(str("encoder.augment.views is ", augment.views,
                         ", but nothing makes one view differ from another; set "
                         "encoder.augment.flip, shift, scale or color"));
  if (only_flips && augment.views > 2)
    throw UsageError(
        str("encoder.augment.views is ", augment.views,
            ", but encoder.augment.flip alone makes 2 different ones; set it to 2, or add "
            "encoder.augment.shift, scale or color"));
  return augment.views;
}

std::unique_ptr<FrozenEncoder> load_frozen(const EncoderConfig& config,
                                           const MessageListener& listener) {
  if (encoder_traits(config).reads_features) return std::make_unique<GivenFeatures>(config);
  check_layers(config);
  require_network_file(config);
  return std::make_unique<FrozenNetwork>(config, config.resize, normalization_of(config), listener);
}

}  // namespace

void InputPipeline::check(const EncoderConfig& config) {
  augment_options(config);
  if (is_frozen(config)) frozen_views(config.augment);
}

InputPipeline::InputPipeline(Unloaded, const EncoderConfig& config, MessageListener listener)
    : listener_(std::move(listener)),
      text_length_(encoder_traits(config).reads_text ? config.text.length : 0),
      words_(config.words),
      preparation_{.height = config.height(),
                   .width = config.width(),
                   .mode = config.resize,
                   .padding = padding_of(normalization_of(config)),
                   .interpolation = config.interpolation,
                   .side = config.resize_side},
      normalization_(normalization_of(config)),
      augment_(augment_options(config)),
      augments_(changes_pictures(config.augment)) {
  for (const std::string& word : words_)
    numbers_.emplace(word, static_cast<int>(numbers_.size()) + 1);
}

InputPipeline::InputPipeline(const EncoderConfig& config, MessageListener listener)
    : InputPipeline(Unloaded{}, config, std::move(listener)) {
  if (!is_frozen(config)) return;
  views_ = frozen_views(config.augment);
  frozen_ = load_frozen(config, listener_);
  features_ = dynamic_cast<const GivenFeatures*>(frozen_.get());
}

InputPipeline::InputPipeline(const EncoderConfig& config, const GridShape& given,
                             MessageListener listener)
    : InputPipeline(Unloaded{}, config, std::move(listener)) {
  own_ = true;
  auto features = std::make_unique<GivenFeatures>(FeatureForm{
      .rows = given.rows, .cols = given.cols, .width = given.features, .pooled = given.pooled > 0});
  features_ = features.get();
  frozen_ = std::move(features);
}

GridShape InputPipeline::frozen_grid() const { return frozen_ ? frozen_->grid() : GridShape{}; }

Shape InputPipeline::shape() const {
  if (reads_text()) return {text_length_};
  if (!frozen_) return {preparation_.height, preparation_.width, 3};
  return {frozen_->grid().vectors(), frozen_->grid().features};
}

void InputPipeline::encode(const Image& network_image, const PictureArea& area,
                           std::span<float> out) const {
  SACCADE_CHECK(static_cast<Index>(out.size()) == shape().size(), "[inputs] an input has ", shape(),
                " numbers; got space for ", out.size());
  if (frozen_) {
    frozen_->encode(network_image, area, out);
  } else {
    pixels_to_input(network_image, normalization_, out.data());
  }
}

Geometry InputPipeline::run_text(std::span<const std::string> tokens, std::span<float> out) const {
  if (!reads_text())
    throw UsageError("the model describes pictures and cannot read a text; give it a picture");
  SACCADE_CHECK(static_cast<Index>(out.size()) == text_length_, "[inputs] a text has ",
                text_length_, " numbers; got space for ", out.size());
  if (tokens.empty()) throw DataError("the text has no tokens; give it some");
  if (static_cast<Index>(tokens.size()) > text_length_)
    throw DataError(str("the text has ", tokens.size(), " tokens, and the model reads at most ",
                        text_length_, " (encoder.text.length); shorten it"));
  std::fill(out.begin(), out.end(), static_cast<float>(kPaddingToken));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto known = numbers_.find(tokens[i]);
    if (known == numbers_.end())
      throw DataError(str("the model does not know '", tokens[i], "'",
                          is_one_letter(tokens[i]) ? "" : did_you_mean(tokens[i], words_),
                          ", so it cannot read the text"));
    out[i] = static_cast<float>(known->second);
  }
  return source_geometry(tokens, text_length_);
}

Geometry InputPipeline::run_features(const ImageSize& photo, std::span<const std::string> names,
                                     const FeatureSource* own, std::span<float> out) const {
  if (own_) return run_own_features(photo, names, own, out);
  FoundFeatures found = features_->read(
      names, own, [&] { return photo; }, out);
  if (found.left_out > 0)
    warn(listener_, str(names.empty() ? "a photo" : names.front(), ": ",
                        counted(found.left_out, reads_times() ? "frame" : "region"), " beyond the ",
                        features_->grid().cells(), " that the model takes are left out"));
  if (photo.width == 0) return geometry_without_photo(found);
  return geometry_of_features(photo, std::move(found.places));
}

Geometry InputPipeline::run_own_features(const ImageSize& photo, std::span<const std::string> names,
                                         const FeatureSource* source, std::span<float> out) const {
  Geometry geometry = plan_geometry(photo.height, photo.width, preparation_);
  FeatureForm form = features_->form();
  const GridShape grid = form.grid();
  const CellBlock shown = picture_cells(picture_area(geometry), grid);
  form.rows = shown.rows();
  form.cols = shown.cols();
  std::vector<float> given(static_cast<std::size_t>(form.grid().size()));
  GivenFeatures(form).read(
      names, source, [&] { return photo; }, given);
  std::fill(out.begin(), out.end(), 0.0F);
  auto from = given.begin();
  for (Index row = shown.top; row < shown.bottom; ++row) {
    const Index count = shown.cols() * grid.features;
    std::copy_n(from, count, out.begin() + (row * grid.cols + shown.left) * grid.features);
    from += count;
  }
  std::copy(from, given.end(), out.begin() + grid.cells() * grid.features);
  return geometry;
}

Index InputPipeline::classes() const {
  const ImageClassifier* classifier = frozen_ ? frozen_->classifier() : nullptr;
  return classifier ? classifier->classes() : 0;
}

Geometry InputPipeline::run(const Image& image, std::span<float> out,
                            std::vector<SeenClass>* seen) const {
  if (reads_text())
    throw UsageError(
        "the model reads texts (data.type sequences) and cannot describe a picture; give it a "
        "text");
  const Prepared prepared = prepare(image, preparation_);
  if (seen)
    *seen = frozen_->encode_and_classify(prepared.image, picture_area(prepared.geometry), out);
  else
    encode(prepared.image, picture_area(prepared.geometry), out);
  return prepared.geometry;
}

Geometry InputPipeline::run_augmented(const Image& image, const RandomKey& key,
                                      std::span<float> out) const {
  SACCADE_ASSERT(!frozen_ && !reads_text(), "only pixels are augmented");
  const Prepared prepared = prepare_augmented(image, preparation_, augment_, Random(key));
  encode(prepared.image, picture_area(prepared.geometry), out);
  return prepared.geometry;
}

// Every other view is mirrored, so that a small number of views is balanced, too.
AugmentOptions InputPipeline::changes_of(Index view) const {
  AugmentOptions changes = augment_;
  if (changes.flip > 0) changes.flip = view % 2 == 1 ? 1 : 0;
  return changes;
}

namespace {

Random view_random(const std::string& id, Index view) {
  return Random(
      {.seed = name_key(id), .stream = Stream::kAugment, .step = static_cast<std::uint64_t>(view)});
}

}  // namespace

Geometry InputPipeline::view_geometry(const ImageSize& size, const std::string& id,
                                      Index view) const {
  if (view == 0) return plan_geometry(size.height, size.width, preparation_);
  return draw_changes(size.height, size.width, preparation_, changes_of(view),
                      view_random(id, view))
      .geometry;
}

Prepared InputPipeline::prepare_view(const Image& image, const std::string& id, Index view) const {
  if (view == 0) return prepare(image, preparation_);
  return prepare_augmented(image, preparation_, changes_of(view), view_random(id, view));
}

std::string InputPipeline::changes_text() const {
  const double x = augment_.shift_x, y = augment_.shift_y;
  return str("views: flip ", augment_.flip, ", crop ", augment_.scale, ", shift ",
             x == y ? str(x) : str(x, " x ", y), ", brightness ", augment_.color, ", contrast ",
             augment_.color);
}

}  // namespace saccade
