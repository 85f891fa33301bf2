#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "captioning/inputs.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/half.h"
#include "core/parallel/parallel.h"
#include "vision/feature_cache.h"

namespace saccade {

namespace {

constexpr Index kMostHeldBytes = Index{2} << 30;  // of pixels
constexpr Index kImagesBetweenReports = 64;

// Equally wide rows of floats, or of their halves, as the cache on disk has them.
class FeatureMemory {
 public:
  FeatureMemory() = default;
  FeatureMemory(std::size_t rows, std::size_t width, bool half) : width_(width), half_(half) {
    (half ? halves_.resize(rows * width) : floats_.resize(rows * width));
  }

  // Writes through what `fill` writes; rows may be filled by several threads.
  template <class Fill>
  void fill(std::size_t row, const Fill& fill) {
    if (!half_) return fill(std::span(floats_).subspan(row * width_, width_));
    std::vector<float> values(width_);
    fill(std::span(values));
    const auto halves = std::span(halves_).subspan(row * width_, width_);
    halves_from_floats(values, halves);
    for (const std::uint16_t bits : halves) {
      if (!std::isfinite(float_from_half(bits))) {
        throw UsageError("a feature is too large for 16 bits; set encoder.half to false");
      }
    }
  }

  void read(std::size_t row, std::span<float> out) const {
    if (half_) return floats_from_halves(std::span(halves_).subspan(row * width_, width_), out);
    const auto values = std::span(floats_).subspan(row * width_, width_);
    std::copy(values.begin(), values.end(), out.begin());
  }

 private:
  std::size_t width_ = 0;
  bool half_ = false;
  std::vector<float> floats_;
  std::vector<std::uint16_t> halves_;
};

// Scenes of equal ids differ with the options they were drawn with; files are told apart by size.
std::string cache_scope(const LoadedData& data) {
  return data.scenes ? data.dataset.digest : data.dataset.name;
}

}  // namespace

struct DatasetInputs::Impl {
  enum class State : std::uint8_t { kAbsent, kBad, kGood };
  // What is known of each image of the data set.
  struct Entry {
    State state = State::kAbsent;
    std::size_t row = 0;  // among the images that were asked for
    Geometry geometry;    // empty where neither the picture nor its size was read
    Image held;           // the original if it is augmented, else prepared; empty: no room
    std::string problem;  // why it is bad
  };

  const LoadedData* data;
  const InputPipeline* pipeline;
  std::vector<Index> images;  // that were asked for
  std::vector<Entry> entries;
  std::optional<FeatureCache> cache;
  FeatureMemory memory;
  std::vector<Index> bad;
  std::atomic<Index> held_bytes = 0;

  Impl(const LoadedData& d, const InputPipeline& p) : data(&d), pipeline(&p) {}

  Entry& entry(Index image) { return entries[static_cast<std::size_t>(image)]; }
  const Entry& good(Index image) const;
  bool skips() const { return data->on_bad_image == BadImage::kSkip; }
  Image picture(Index image) const;
  void hold(Entry& into, Image&& pixels);
  void read(Index image);
  void read_or_skip(Index image);
  void read_all(const Progress& progress);
  void fill_cache(const EncoderConfig& config, const Progress& progress);
  bool pads() const { return pipeline->preparation().mode == ResizeMode::kPad; }
  void read_sizes();
  void collect_bad();
};

const DatasetInputs::Impl::Entry& DatasetInputs::Impl::good(Index image) const {
  SACCADE_CHECK(image >= 0 && static_cast<std::size_t>(image) < entries.size() &&
                    entries[static_cast<std::size_t>(image)].state == State::kGood,
                "[inputs] image ", image, " of ", data->dataset.name,
                " was not asked for at first or could not be read");
  return entries[static_cast<std::size_t>(image)];
}

// An image is bad for whatever reason it cannot be read, if bad ones are skipped.
Image DatasetInputs::Impl::picture(Index image) const {
  if (!skips()) return data->image(image);
  try {
    return data->image(image);
  } catch (const IoError& error) {
    throw DataError(error.what());
  }
}

void DatasetInputs::Impl::hold(Entry& into, Image&& pixels) {
  const auto bytes = static_cast<Index>(pixels.rgb.size());
  if (held_bytes.fetch_add(bytes) + bytes <= kMostHeldBytes) {
    into.held = std::move(pixels);
  } else {
    held_bytes.fetch_sub(bytes);
  }
}

void DatasetInputs::Impl::read(Index image) {
  Entry& into = entry(image);
  Image original = picture(image);
  Prepared prepared = prepare(original, pipeline->preparation());
  into.geometry = prepared.geometry;
  if (pipeline->frozen()) {
    memory.fill(into.row, [&](std::span<float> out) {
      pipeline->encode(prepared.image, picture_area(prepared.geometry), out);
    });
  } else {
    hold(into, std::move(pipeline->augments() ? original : prepared.image));
  }
  into.state = State::kGood;
}

void DatasetInputs::Impl::read_or_skip(Index image) {
  if (!skips()) return read(image);
  try {
    read(image);
  } catch (const DataError& error) {
    entry(image).state = State::kBad;
    entry(image).problem = error.what();
  }
}

void DatasetInputs::Impl::read_all(const Progress& progress) {
  const auto total = static_cast<Index>(images.size());
  // In blocks, so that a bad image ends the work soon, and always the same one is named.
  for (Index begin = 0; begin < total; begin += kImagesBetweenReports) {
    const Index block = std::min(kImagesBetweenReports, total - begin);
    parallel::for_each(block,
                       [&](Index i) { read_or_skip(images[static_cast<std::size_t>(begin + i)]); });
    if (progress) progress(begin + block, total);
  }
}

void DatasetInputs::Impl::fill_cache(const EncoderConfig& config, const Progress& progress) {
  std::vector<std::string> ids;
  for (const Index image : images) {
    const CaptionedImage& captioned = data->dataset.images[static_cast<std::size_t>(image)];
    ids.push_back(data->scenes ? captioned.id : file_id(captioned.path, captioned.id));
    entry(image).state = State::kGood;
  }
  const auto image_at = [&](Index i) { return images[static_cast<std::size_t>(i)]; };
  FeatureCacheOptions options{
      .dataset = cache_scope(*data), .half = config.half, .progress = progress};
  if (skips()) {
    options.on_bad_image = [&](Index i, const DataError& error) {
      entry(image_at(i)).state = State::kBad;
      entry(image_at(i)).problem = error.what();
    };
  }
  cache.emplace(FeatureCache::open_or_fill(
      config.cache, *pipeline->frozen(), ids, [&](Index i) { return picture(image_at(i)); },
      options));
  if (pads()) read_sizes();
}

// Cached features do not say which of them are padding.
void DatasetInputs::Impl::read_sizes() {
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const Index image = images[static_cast<std::size_t>(i)];
    if (entry(image).state != State::kGood) return;
    const ImageSize size = data->image_size(image);
    entry(image).geometry = plan_geometry(size.height, size.width, pipeline->preparation());
  });
}

void DatasetInputs::Impl::collect_bad() {
  for (const Index image : images) {
    if (entry(image).state == State::kBad) bad.push_back(image);
  }
  std::sort(bad.begin(), bad.end());
  if (bad.empty()) return;
  const std::string& first = entry(bad[0]).problem;
  if (bad.size() == images.size()) {
    throw DataError(str(data->dataset.name, ": none of ", images.size(),
                        " images can be read; the first: ", first));
  }
  log::warn(str(data->dataset.name, ": left out ", bad.size(), " of ", images.size(),
                " images that cannot be read; the first: ", first));
}

DatasetInputs::DatasetInputs(const LoadedData& data, const InputPipeline& pipeline,
                             const EncoderConfig& config, const Progress& progress,
                             const std::optional<std::vector<Index>>& images)
    : impl_(std::make_unique<Impl>(data, pipeline)) {
  impl_->entries.resize(data.dataset.images.size());
  if (images) {
    impl_->images = *images;
  } else {
    impl_->images.resize(data.dataset.images.size());
    std::iota(impl_->images.begin(), impl_->images.end(), Index{0});
  }
  for (std::size_t i = 0; i < impl_->images.size(); ++i) impl_->entry(impl_->images[i]).row = i;
  if (pipeline.frozen() && !config.cache.empty()) {
    impl_->fill_cache(config, progress);
  } else {
    if (pipeline.frozen()) {
      impl_->memory = FeatureMemory(impl_->images.size(),
                                    static_cast<std::size_t>(pipeline.shape().size()), config.half);
    }
    impl_->read_all(progress);
  }
  impl_->collect_bad();
}

DatasetInputs::~DatasetInputs() = default;

Shape DatasetInputs::shape() const { return impl_->pipeline->shape(); }

PictureArea DatasetInputs::load(Index image, std::span<float> out) const {
  const Impl::Entry& entry = impl_->good(image);
  const InputPipeline& pipeline = *impl_->pipeline;
  SACCADE_CHECK(static_cast<Index>(out.size()) == shape().size(), "[inputs] an input has ", shape(),
                " numbers; got room for ", out.size());
  if (impl_->cache) {
    impl_->cache->read(static_cast<Index>(entry.row), out);
  } else if (pipeline.frozen()) {
    impl_->memory.read(entry.row, out);
  } else if (entry.held.empty()) {
    pipeline.run(impl_->data->image(image), out);
  } else if (pipeline.augments()) {
    pipeline.run(entry.held, out);
  } else {
    pipeline.encode(entry.held, picture_area(entry.geometry), out);
  }
  return picture_area(entry.geometry);
}

PictureArea DatasetInputs::load_augmented(Index image, const RandomKey& key,
                                          std::span<float> out) const {
  if (!impl_->pipeline->augments()) return load(image, out);
  const Impl::Entry& entry = impl_->good(image);
  return picture_area(impl_->pipeline->run_augmented(
      entry.held.empty() ? impl_->data->image(image) : entry.held, key, out));
}

InputBatch DatasetInputs::batch(std::span<const Index> images) const {
  InputBatch batch(shape(), static_cast<Index>(images.size()));
  for (Index i = 0; i < batch.count(); ++i)
    batch.set_area(i, load(images[static_cast<std::size_t>(i)], batch.room(i)));
  return batch;
}

Geometry DatasetInputs::geometry(Index image) const {
  const Geometry& known = impl_->good(image).geometry;
  if (known.original_width > 0) return known;
  const ImageSize size = impl_->data->image_size(image);
  return plan_geometry(size.height, size.width, impl_->pipeline->preparation());
}

std::span<const Index> DatasetInputs::bad_images() const { return impl_->bad; }

}  // namespace saccade
