#include "captioning/inputs.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/parallel/parallel.h"
#include "vision/encoders/onnx_encoder.h"

namespace saccade {

namespace {

constexpr Index kMostHeldBytes = Index{2} << 30;  // of pixels; the rest is read again when needed
constexpr Index kImagesBetweenReports = 64;

ResizeMode resize_mode(ResizeKind kind) {
  return kind == ResizeKind::kCrop ? ResizeMode::kCrop : ResizeMode::kSquash;
}

Normalization normalization_of(const EncoderConfig& config) {
  Normalization normalization;
  normalization.mean.fill(static_cast<float>(config.input_mean));
  normalization.scale.fill(static_cast<float>(1 / config.input_scale));
  return normalization;
}

// Pixels of the network's input become shares of what is seen.
AugmentOptions augment_options(const EncoderConfig& config) {
  const AugmentConfig& augment = config.augment;
  if (2 * augment.shift > config.image_size) {
    throw UsageError(str("encoder.augment.shift is ", augment.shift,
                         " pixels, more than half of encoder.image_size ", config.image_size));
  }
  return {.flip = augment.flip ? 0.5 : 0,
          .shift = static_cast<double>(augment.shift) / static_cast<double>(config.image_size),
          .brightness = augment.color,
          .contrast = augment.color};
}

std::unique_ptr<FrozenEncoder> load_frozen(const EncoderConfig& config) {
  if (config.model.empty() || config.layer.empty()) {
    throw UsageError(str("encoder.type onnx needs encoder.",
                         config.model.empty() ? "model" : "layer", "; set it in the config"));
  }
  return std::make_unique<OnnxEncoder>(
      OnnxEncoderOptions{.model = config.model,
                         .layer = config.layer,
                         .image_size = config.image_size,
                         .resize = resize_mode(config.resize),
                         .normalization = normalization_of(config)});
}

}  // namespace

InputPipeline::InputPipeline(const EncoderConfig& config)
    : preparation_{.height = config.image_size,
                   .width = config.image_size,
                   .mode = resize_mode(config.resize)},
      normalization_(normalization_of(config)),
      augment_(augment_options(config)),
      augments_(config.augment.flip || config.augment.shift > 0 || config.augment.color > 0) {
  if (config.type == EncoderKind::kCnn) return;
  if (augments_) {
    throw UsageError(
        "encoder.augment needs encoder.type cnn: the features of a frozen encoder are computed "
        "once");
  }
  frozen_ = load_frozen(config);
}

GridShape InputPipeline::frozen_grid() const { return frozen_ ? frozen_->grid() : GridShape{}; }

Shape InputPipeline::shape() const {
  if (!frozen_) return {preparation_.height, preparation_.width, 3};
  return {frozen_->grid().regions(), frozen_->grid().features};
}

void InputPipeline::encode(const Image& network_image, std::span<float> out) const {
  SACCADE_CHECK(static_cast<Index>(out.size()) == shape().size(), "[inputs] an input has ", shape(),
                " numbers; got room for ", out.size());
  if (frozen_) {
    frozen_->encode(network_image, out);
  } else {
    pixels_to_input(network_image, normalization_, out.data());
  }
}

Geometry InputPipeline::run(const Image& image, std::span<float> out) const {
  const Prepared prepared = prepare(image, preparation_);
  encode(prepared.image, out);
  return prepared.geometry;
}

Geometry InputPipeline::run_augmented(const Image& image, const RandomKey& key,
                                      std::span<float> out) const {
  SACCADE_ASSERT(!frozen_, "features of a frozen encoder are never augmented");
  const Prepared prepared = prepare_augmented(image, preparation_, augment_, Random(key));
  encode(prepared.image, out);
  return prepared.geometry;
}

struct DatasetInputs::Impl {
  const LoadedData* data;
  const InputPipeline* pipeline;
  enum class State : std::uint8_t { kAbsent, kBad, kGood };
  std::vector<State> states;          // of every image of the data set
  std::vector<Geometry> geometries;   // the same
  std::vector<Index> rows;            // the same: into `features`
  std::vector<Image> held;            // the same: originals if they are augmented, else prepared;
                                      // empty where there was no room
  std::vector<float> features;        // of a frozen encoder, [good images, L, D]
  std::vector<std::string> problems;  // why an image is bad
  std::vector<Index> bad;
  std::atomic<Index> held_bytes = 0;

  std::span<float> feature_row(std::size_t image) {
    const auto size = static_cast<std::size_t>(pipeline->shape().size());
    return std::span(features).subspan(static_cast<std::size_t>(rows[image]) * size, size);
  }

  void hold(std::size_t image, Image&& pixels) {
    const auto bytes = static_cast<Index>(pixels.rgb.size());
    if (held_bytes.fetch_add(bytes) + bytes <= kMostHeldBytes) {
      held[image] = std::move(pixels);
    } else {
      held_bytes.fetch_sub(bytes);
    }
  }

  void read(std::size_t image) {
    const Image picture = data->image(static_cast<Index>(image));
    Prepared prepared = prepare(picture, pipeline->preparation());
    geometries[image] = prepared.geometry;
    if (pipeline->frozen()) {
      pipeline->encode(prepared.image, feature_row(image));
    } else {
      hold(image, pipeline->augments() ? Image(picture) : std::move(prepared.image));
    }
    states[image] = State::kGood;
  }

  void read_or_skip(std::size_t image) {
    if (data->on_bad_image == BadImage::kFail) return read(image);
    try {
      read(image);
    } catch (const DataError& error) {
      problems[image] = error.what();
    } catch (const IoError& error) {
      problems[image] = error.what();
    }
    if (states[image] != State::kGood) states[image] = State::kBad;
  }

  void read_all(std::span<const Index> images, const Progress& progress);
  void report_bad(std::size_t asked) const;
  void check(Index image) const;
};

void DatasetInputs::Impl::read_all(std::span<const Index> images, const Progress& progress) {
  const std::size_t count = data->dataset.images.size();
  states.assign(count, State::kAbsent);
  geometries.resize(count);
  rows.assign(count, -1);
  held.resize(count);
  problems.resize(count);
  for (std::size_t i = 0; i < images.size(); ++i) {
    rows[static_cast<std::size_t>(images[i])] = static_cast<Index>(i);
  }
  if (pipeline->frozen())
    features.resize(images.size() * static_cast<std::size_t>(pipeline->shape().size()));
  const auto total = static_cast<Index>(images.size());
  // In blocks, so that a bad image ends the work soon, and always the same one is named.
  for (Index begin = 0; begin < total; begin += kImagesBetweenReports) {
    const Index block = std::min(kImagesBetweenReports, total - begin);
    parallel::for_each(block, [&](Index i) {
      read_or_skip(static_cast<std::size_t>(images[static_cast<std::size_t>(begin + i)]));
    });
    if (progress) progress(begin + block, total);
  }
  for (const Index i : images) {
    if (states[static_cast<std::size_t>(i)] == State::kBad) bad.push_back(i);
  }
  std::sort(bad.begin(), bad.end());
  report_bad(images.size());
}

void DatasetInputs::Impl::report_bad(std::size_t asked) const {
  if (bad.empty()) return;
  const std::string& first = problems[static_cast<std::size_t>(bad[0])];
  if (bad.size() == asked) {
    throw DataError(
        str(data->dataset.name, ": none of ", asked, " images can be read; the first: ", first));
  }
  log::warn(str(data->dataset.name, ": left out ", bad.size(), " of ", asked,
                " images that cannot be read; the first: ", first));
}

void DatasetInputs::Impl::check(Index image) const {
  SACCADE_CHECK(image >= 0 && static_cast<std::size_t>(image) < states.size() &&
                    states[static_cast<std::size_t>(image)] == State::kGood,
                "[inputs] image ", image, " of ", data->dataset.name,
                " was not asked for at first or could not be read");
}

DatasetInputs::DatasetInputs(const LoadedData& data, const InputPipeline& pipeline,
                             const EncoderConfig&, const Progress& progress,
                             const std::optional<std::vector<Index>>& images)
    : impl_(std::make_unique<Impl>()) {
  impl_->data = &data;
  impl_->pipeline = &pipeline;
  std::vector<Index> all(data.dataset.images.size());
  std::iota(all.begin(), all.end(), Index{0});
  impl_->read_all(images ? *images : all, progress);
}

DatasetInputs::~DatasetInputs() = default;

Shape DatasetInputs::shape() const { return impl_->pipeline->shape(); }

void DatasetInputs::load(Index image, std::span<float> out) const {
  impl_->check(image);
  const auto at = static_cast<std::size_t>(image);
  const InputPipeline& pipeline = *impl_->pipeline;
  if (pipeline.frozen()) {
    const std::span<const float> row = impl_->feature_row(at);
    SACCADE_CHECK(row.size() == out.size(), "[inputs] an input has ", shape(),
                  " numbers; got room for ", out.size());
    std::copy(row.begin(), row.end(), out.begin());
    return;
  }
  const Image& held = impl_->held[at];
  if (held.empty()) {
    pipeline.run(impl_->data->image(image), out);
  } else if (pipeline.augments()) {
    pipeline.run(held, out);
  } else {
    pipeline.encode(held, out);
  }
}

void DatasetInputs::load_augmented(Index image, const RandomKey& key, std::span<float> out) const {
  if (!impl_->pipeline->augments()) return load(image, out);
  impl_->check(image);
  const Image& held = impl_->held[static_cast<std::size_t>(image)];
  impl_->pipeline->run_augmented(held.empty() ? impl_->data->image(image) : held, key, out);
}

Geometry DatasetInputs::geometry(Index image) const {
  impl_->check(image);
  return impl_->geometries[static_cast<std::size_t>(image)];
}

std::span<const Index> DatasetInputs::bad_images() const { return impl_->bad; }

}  // namespace saccade
