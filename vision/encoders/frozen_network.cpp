#include "vision/encoders/frozen_network.h"

#include <algorithm>
#include <filesystem>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/grid_fusion.h"
#include "vision/encoders/image_classifier.h"

namespace saccade {

namespace {

std::string_view bytes_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

std::vector<Index> extents_of(const Shape& shape) {
  std::vector<Index> extents;
  for (int axis = 0; axis < shape.rank(); ++axis) extents.push_back(shape[axis]);
  return extents;
}

}  // namespace

bool is_frozen(const EncoderConfig& config) {
  const EncoderTraits& traits = encoder_registry().at(config.type).traits;
  return traits.reads_features || config.frozen_stages < 0;
}

void require_network_file(const EncoderConfig& config, const std::string& option) {
  if (encoder_registry().at(config.type).traits.reads_features) return;  // it says what it lacks
  const bool onnx = encoder_registry().at(config.type).traits.reads_onnx_file;
  const std::string& file = onnx ? config.model : config.weights;
  std::error_code error;
  if (config.network || file.empty() || std::filesystem::exists(file, error) || error) return;
  throw DataError(str(file, ": no such ", onnx ? "ONNX model" : "file of weights",
                      "; if it was moved, name its place with ", option,
                      onnx ? "encoder.model" : "encoder.weights", "=PLACE"));
}

bool adds_positions_inside(const EncoderConfig& config) {
  return config.type != "hub" && encoder_traits(config).has_tokens;
}

FrozenNetwork::FrozenNetwork(const EncoderConfig& config, ResizeMode resize,
                             const Normalization& normalization, const MessageListener& listener)
    : preparation_{.height = config.height(),
                   .width = config.width(),
                   .mode = resize,
                   .padding = padding_of(normalization),
                   .interpolation = config.interpolation,
                   .side = config.resize_side},
      normalization_(normalization) {
  const StoredNetwork* stored = config.network.get();
  if (stored) {
    classifier_ = stored->classifier;
  } else if (encoder_registry().at(config.type).traits.reads_onnx_file && !config.dilate) {
    classifier_file_ = config.model;
    last_layer_ = config.grid_layers().back();
  }
  if (!stored && config.weights.empty() &&
      !encoder_registry().at(config.type).traits.reads_onnx_file)
    throw UsageError(
        "encoder.frozen_stages -1 would freeze random weights; set encoder.weights to a file of "
        "pretrained ones");
  EncoderConfig own = config;
  if (!adds_positions_inside(config)) own.positions = PositionKind::kNone;
  if (stored) own.graph = stored->definition;
  network_ = make_encoder(own, ParamScope(parameters_, "encoder"));
  const GridShape shape = network_->grid();
  if (classifier_ &&
      classifier_->features() != (shape.widths.empty() ? shape.features : shape.widths.back()))
    throw DataError("the stored network of the encoder has a classifier of another layer");
  if (stored) {
    parameters_.allocate();
    take(*stored);
  } else {
    parameters_.initialise(0);
    network_->start(parameters_);
    if (!config.weights.empty()) load_weights(config, listener);
  }
  weights_.emplace(std::as_const(parameters_).flat().span());

  Digest all;
  all.add(str(config.type, " ", config.layer, " size ", config.height(), "x", config.width(),
              " resize ", enum_name(config.resize)));
  all.add(bytes_of(normalization.mean.data(), sizeof(normalization.mean)));
  all.add(bytes_of(normalization.scale.data(), sizeof(normalization.scale)));
  all.add(bytes_of(parameters_.flat().data(),
                   static_cast<std::size_t>(parameters_.flat_size()) * sizeof(Real)));
  // The parts of the network that its weights do not determine.
  all.add(network_->graph());
  if (adds_positions_inside(config))
    all.add(str("positions ", enum_name(own.positions), " heads ", resolved(config.vit).heads));
  for (const std::string& layer : config.layers) all.add("and " + layer);
  if (config.norm() != FeatureNorm::kNone) all.add(str("normalize ", enum_name(config.norm())));
  if (config.dilate) all.add("dilate");
  if (config.interpolation != Interpolation::kArea)
    all.add(str("interpolation ", enum_name(config.interpolation)));
  if (config.resize_side > 0) all.add(str("side ", config.resize_side));
  digest_ = all.hex();
}

void FrozenNetwork::take(const StoredNetwork& network) {
  StoredNumbers numbers(network);
  for (std::size_t p = 0; p < parameters_.count(); ++p) {
    const View value = parameters_.value(static_cast<int>(p));
    const std::span<const float> own = numbers.take(extents_of(value.shape));
    std::copy(own.begin(), own.end(), value.data);
  }
  numbers.check_end();
}

StoredNetwork FrozenNetwork::stored() const {
  StoredNetwork network{.definition = network_->graph()};
  classifier();
  network.classifier = classifier_;
  for (std::size_t p = 0; p < parameters_.count(); ++p) {
    const ConstView value = parameters_.value(static_cast<int>(p));
    network.add(extents_of(value.shape), value.span());
  }
  return network;
}

void FrozenNetwork::load_weights(const EncoderConfig& config, const MessageListener& listener) {
  const TorchWeightReport report = load_encoder_weights(config, *network_, parameters_);
  if (!report.prefix.empty()) inform(listener, config.weights + ": " + report.prefix_text());
  if (report.complete()) return;
  const std::string text = config.weights + ": " + report.text();
  if (!report.missing.empty() && !encoder_registry().at(config.type).traits.reads_onnx_file)
    throw DataError(
        text + "; encoder.frozen_stages -1 would freeze random numbers where some are missing");
  warn(listener, text + "; left out (encoder.weights_strict is false)");
}

const ImageClassifier* FrozenNetwork::classifier() const {
  std::call_once(classifier_read_, [&] {
    if (!classifier_file_.empty()) classifier_ = read_classifier(classifier_file_, last_layer_);
  });
  return classifier_.get();
}

void FrozenNetwork::encode(const Image& network_image, const PictureArea& area,
                           std::span<float> out) const {
  run(network_image, area, out, nullptr);
}

std::vector<SeenClass> FrozenNetwork::encode_and_classify(const Image& network_image,
                                                          const PictureArea& area,
                                                          std::span<float> out) const {
  SACCADE_CHECK(classifier() != nullptr, "[encoder] the network has no classifier");
  std::vector<SeenClass> seen;
  run(network_image, area, out, &seen);
  return seen;
}

void FrozenNetwork::run(const Image& network_image, const PictureArea& area, std::span<float> out,
                        std::vector<SeenClass>* seen) const {
  SACCADE_CHECK(
      network_image.height == preparation_.height && network_image.width == preparation_.width,
      "[encoder] takes images of ", preparation_.height, "x", preparation_.width, "; got ",
      network_image.height, "x", network_image.width);
  SACCADE_CHECK(static_cast<Index>(out.size()) == grid().size(), "[encoder] output needs ",
                grid().size(), " numbers; got ", out.size());
  Tensor pixels({1, preparation_.height, preparation_.width, 3});
  pixels_to_input(network_image, normalization_, pixels.data());
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(parameters_.views());
  const Var x = tape.constant(pixels.view());
  Var features;
  if (const TokenEncoder* network = network_->token_encoder()) {
    std::vector<std::uint8_t> mask;
    if (preparation_.mode == ResizeMode::kPad) add_mask(area, grid(), mask);
    features = network->features(tape, network->last_tokens(tape, x, mask));
  } else {
    Var last;
    features = network_->forward_with_last(tape, x, {&area, 1}, last);
    if (seen) {
      const std::span<const Real> cells = last.value().span();
      *seen = classifier_->classify({cells.begin(), cells.end()}, last.shape()[1], last.shape()[2]);
    }
  }
  const std::span<const Real> numbers = features.value().span();
  std::copy(numbers.begin(), numbers.end(), out.begin());
}

}  // namespace saccade
