#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>

#include "captioning/model/bad_images.h"
#include "captioning/model/feature_memory.h"
#include "captioning/model/given_inputs.h"
#include "captioning/model/inputs.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/groups.h"
#include "core/parallel/ranks/ranks.h"
#include "vision/encoders/feature_cache.h"

namespace saccade {

namespace {

constexpr Index kMostHeldBytes = Index{2} << 30;       // of pixels
constexpr Index kMostHeldFeatures = Index{512} << 20;  // in bytes; the page cache holds files, too
constexpr Index kImagesBetweenReports = 64;

}  // namespace

struct DatasetInputs::Impl {
  enum class State : std::uint8_t { kAbsent, kBad, kGood };
  struct Entry {  // what is known of every image of the data set
    State state = State::kAbsent;
    std::size_t row = 0;  // the row among the requested images
    // Of its second view, in the list of the second and further views of all training images.
    std::optional<std::size_t> views;
    Geometry geometry;  // empty where neither the picture nor its size was read
    Image held;         // the original if it is augmented, else prepared; empty: there was no space
    std::string problem;  // why it is bad
  };

  const LoadedData* data;
  const InputPipeline* pipeline;
  std::vector<Index> images;  // the requested ones
  std::vector<Entry> entries;
  std::optional<FeatureCache> cache, view_cache;
  FeatureMemory memory, view_memory;
  std::size_t view_count = 0;  // of all training photos together, without first views
  std::vector<Index> bad;
  mutable std::mutex warnings_mutex;
  mutable std::map<Index, std::string> warnings;  // of the images that were read
  std::atomic<Index> held_bytes = 0;
  std::optional<GivenInputs> given;          // features that another program computed
  bool holds_features = true, half = false;  // in memory; else these are read at every use

  Impl(const LoadedData& d, const InputPipeline& p) : data(&d), pipeline(&p) {}

  Entry& entry(Index image) { return entries[static_cast<std::size_t>(image)]; }
  const Entry& good(Index image) const;
  bool skips() const { return data->on_bad_image == BadImage::kSkip; }
  Image picture(Index image) const;
  void hold(Entry& into, Image&& pixels);
  void read(Index image);
  void read_or_skip(Index image);
  void read_all(const Progress& progress);
  void number_views();
  std::size_t row_of(const Entry& entry, Index view) const {
    return *entry.views + static_cast<std::size_t>(view) - 1;
  }
  Geometry view_geometry(Index image, Index view) const;
  FeatureCacheOptions cache_options(const EncoderConfig& config, const Progress& progress,
                                    const std::vector<Index>& row_images);
  std::vector<std::string> cache_ids() const;
  void fill_cache(const EncoderConfig& config, const Progress& progress);
  void fill_given_cache(const EncoderConfig& config, const Progress& progress);
  void read_given(Index image);
  void fill_view_cache(const EncoderConfig& config, const std::vector<std::string>& image_ids,
                       const Progress& progress);
  void tell_views(const EncoderConfig& config) const;
  bool pads() const { return pipeline->preparation().mode == ResizeMode::kPad; }
  void read_sizes();
  void tell_warnings() const;
  void collect_bad();
};

const DatasetInputs::Impl::Entry& DatasetInputs::Impl::good(Index image) const {
  SACCADE_CHECK(image >= 0 && static_cast<std::size_t>(image) < entries.size() &&
                    entries[static_cast<std::size_t>(image)].state == State::kGood,
                "[inputs] image ", image, " of ", data->dataset.name,
                " is not among those that were requested, or could not be read");
  return entries[static_cast<std::size_t>(image)];
}

// If bad images are skipped, an image that cannot be read is bad, whatever the reason. Otherwise
// the message says that they can be skipped.
Image DatasetInputs::Impl::picture(Index image) const {
  if (data->is_drawn()) return data->image(image);
  const auto note = [&](Severity, const std::string& text) {
    const std::lock_guard lock(warnings_mutex);
    warnings.emplace(image, text);
  };
  try {
    return read_image(data->dataset.images[static_cast<std::size_t>(image)].path, note,
                      data->max_pixels);
  } catch (const DataError& error) {
    if (skips()) throw;
    throw DataError(str(error.what(),
                        "; data.on_bad_image=skip leaves such images out, and saccade data counts "
                        "them"));
  } catch (const IoError& error) {
    if (!skips()) throw;
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

void DatasetInputs::Impl::read_given(Index image) {
  std::vector<float> row(static_cast<std::size_t>(pipeline->shape().size()));
  Entry& into = entry(image);
  into.geometry = given->keep(image, given->read(image, row));
  if (!memory.empty())
    memory.fill(into.row, [&](std::span<float> out) { std::ranges::copy(row, out.begin()); });
  into.state = State::kGood;
}

void DatasetInputs::Impl::read(Index image) {
  if (given) return read_given(image);
  Entry& into = entry(image);
  if (const SourceText* text = data->text(image)) {
    std::vector<float> unused(static_cast<std::size_t>(pipeline->shape().size()));
    into.geometry = pipeline->run_text(text->tokens, unused);
    into.state = State::kGood;
    return;
  }
  Image original = picture(image);
  Prepared prepared = prepare(original, pipeline->preparation());
  into.geometry = prepared.geometry;
  if (pipeline->frozen()) {
    const auto encode_to = [&](FeatureMemory& features, std::size_t row, const Prepared& seen) {
      features.fill(row, [&](std::span<float> out) {
        pipeline->encode(seen.image, picture_area(seen.geometry), out);
      });
    };
    encode_to(memory, into.row, prepared);
    const std::string& id = data->dataset.images[static_cast<std::size_t>(image)].id;
    for (Index view = 1; into.views && view < pipeline->views(); ++view)
      encode_to(view_memory, row_of(into, view), pipeline->prepare_view(original, id, view));
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
  // In blocks, so that a bad image soon ends the work, and always the same one is named.
  for (Index begin = 0; begin < total; begin += kImagesBetweenReports) {
    const Index block = std::min(kImagesBetweenReports, total - begin);
    parallel::for_each(block,
                       [&](Index i) { read_or_skip(images[static_cast<std::size_t>(begin + i)]); });
    if (progress) progress(begin + block, total);
  }
}

// The ids of the requested images. Those of files are digests of all of their bytes. Over ranks,
// each reads some of the files.
std::vector<std::string> DatasetInputs::Impl::cache_ids() const {
  parallel::Ranks* const ranks = parallel::ranks();
  const auto total = static_cast<Index>(images.size());
  const parallel::ShardRange own = ranks ? parallel::shards_of(ranks->rank(), ranks->count(), total)
                                         : parallel::ShardRange{.begin = 0, .end = total};
  std::vector<std::string> ids(static_cast<std::size_t>(own.count()));
  parallel::for_each(own.count(), [&](Index i) {
    const auto row = static_cast<std::size_t>(own.begin + i);
    const CaptionedImage& one = data->dataset.images[static_cast<std::size_t>(images[row])];
    ids[static_cast<std::size_t>(i)] = data->is_drawn() ? one.id : file_id(one.path, one.id);
  });
  return parallel::join_texts(ids);
}

// The options of a cache whose rows belong to the images `row_images`.
FeatureCacheOptions DatasetInputs::Impl::cache_options(const EncoderConfig& config,
                                                       const Progress& progress,
                                                       const std::vector<Index>& row_images) {
  FeatureCacheOptions options{
      .dataset = data->is_drawn() ? data->dataset.digest : data->dataset.name,
      .half = config.half,
      .progress = progress,
      .listener = pipeline->listener()};
  if (skips()) {
    options.on_bad_image = [this, &row_images](Index row, const DataError& error) {
      Entry& bad_one = entry(row_images[static_cast<std::size_t>(row)]);
      bad_one.state = State::kBad;
      bad_one.problem = error.what();
    };
  }
  return options;
}

void DatasetInputs::Impl::fill_cache(const EncoderConfig& config, const Progress& progress) {
  const std::vector<std::string> ids = cache_ids();
  for (const Index image : images) entry(image).state = State::kGood;
  cache.emplace(FeatureCache::open_or_fill(
      config.cache, *pipeline->frozen(), ids,
      [&](Index i) { return picture(images[static_cast<std::size_t>(i)]); },
      cache_options(config, progress, images)));
  if (view_count > 0) fill_view_cache(config, ids, progress);
  if (pads() || view_count > 0) read_sizes();
}

void DatasetInputs::Impl::fill_given_cache(const EncoderConfig& config, const Progress& progress) {
  read_all({});
  std::vector<Index> good;
  for (const Index image : images) {
    if (entry(image).state != State::kGood) continue;
    entry(image).row = good.size();
    good.push_back(image);
  }
  cache.emplace(given->cached(config.cache, good, cache_options(config, progress, good)));
}

// Every view is a row of a file of its own, so that plain features serve those who need no views.
void DatasetInputs::Impl::fill_view_cache(const EncoderConfig& config,
                                          const std::vector<std::string>& image_ids,
                                          const Progress& progress) {
  std::vector<std::string> ids;
  std::vector<Index> row_images, row_views;
  for (const Index image : images) {
    if (!entry(image).views || entry(image).state == State::kBad) continue;
    entry(image).views = ids.size();
    for (Index view = 1; view < pipeline->views(); ++view) {
      ids.push_back(str(image_ids[entry(image).row], "@", view));
      row_images.push_back(image);
      row_views.push_back(view);
    }
  }
  if (ids.empty()) return;
  FeatureCacheOptions options = cache_options(config, progress, row_images);
  options.variant = pipeline->changes_text();
  options.prepare = [&](const Image& picture, Index row) {
    const auto i = static_cast<std::size_t>(row);
    const std::string& id = data->dataset.images[static_cast<std::size_t>(row_images[i])].id;
    return pipeline->prepare_view(picture, id, row_views[i]);
  };
  view_cache.emplace(FeatureCache::open_or_fill(
      config.cache, *pipeline->frozen(), ids,
      [&](Index row) { return picture(row_images[static_cast<std::size_t>(row)]); }, options));
  inform(pipeline->listener(),
         str(view_cache->path().string(), ": ", view_cache->encoded(), " of ", ids.size(),
             " views were computed now; the others were in the file"));
}

// Sets which photos have views, and where their rows begin.
void DatasetInputs::Impl::number_views() {
  const auto more = static_cast<std::size_t>(pipeline->views() - 1);
  for (const Index image : images) {
    if (data->dataset.images[static_cast<std::size_t>(image)].split != Split::kTrain) continue;
    entry(image).views = view_count;
    view_count += more;
  }
}

Geometry DatasetInputs::Impl::view_geometry(Index image, Index view) const {
  const Entry& known = good(image);
  if (view == 0) return known.geometry;
  return pipeline->view_geometry({known.geometry.original_height, known.geometry.original_width},
                                 data->dataset.images[static_cast<std::size_t>(image)].id, view);
}

// Logs what the views will cost, before they are made.
void DatasetInputs::Impl::tell_views(const EncoderConfig& config) const {
  const double bytes = static_cast<double>(pipeline->shape().size()) * (config.half ? 2 : 4) *
                       static_cast<double>(view_count);
  const auto all = static_cast<Index>(view_count);
  inform(pipeline->listener(),
         str(data->dataset.name, ": encoder.augment.views ", pipeline->views(), ": features of ",
             all, " further views of ", all / (pipeline->views() - 1), " training photos, ",
             data_size(bytes), " of ", config.half ? "16-bit" : "32-bit", " floats in ",
             config.cache.empty() ? "memory" : config.cache));
}

// Cached features do not show which of them are padding, or which part of a photo a view shows.
void DatasetInputs::Impl::read_sizes() {
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const Index image = images[static_cast<std::size_t>(i)];
    if (entry(image).state != State::kGood) return;
    const ImageSize size = data->image_size(image);
    entry(image).geometry = plan_geometry(size.height, size.width, pipeline->preparation());
  });
}

// One line, however many images are damaged or dark.
void DatasetInputs::Impl::tell_warnings() const {
  if (warnings.empty()) return;
  const auto count = static_cast<Index>(warnings.size());
  const std::string& first = warnings.begin()->second;
  warn(pipeline->listener(), count == 1
                                 ? first
                                 : str(data->dataset.name, ": ", count,
                                       " images were read with a warning; the first: ", first));
}

void DatasetInputs::Impl::collect_bad() {
  for (const Index image : images)
    if (entry(image).state == State::kBad) bad.push_back(image);
  std::sort(bad.begin(), bad.end());
  tell_bad_images(
      data->dataset, images, bad,
      [&](Index image) -> const std::string& { return entry(image).problem; },
      pipeline->listener());
}

DatasetInputs::DatasetInputs(const LoadedData& data, const InputPipeline& pipeline,
                             const EncoderConfig& config, const Progress& progress,
                             const std::optional<std::vector<Index>>& images, Views views)
    : impl_(std::make_unique<Impl>(data, pipeline)) {
  if (pipeline.reads_text() != data.sequences.has_value())
    throw UsageError(str(data.dataset.name, " consists of ", data.sequences ? "texts" : "pictures",
                         ", and the encoder reads ", pipeline.reads_text() ? "texts" : "pictures",
                         "; choose another encoder.type or data.type"));
  impl_->entries.resize(data.dataset.images.size());
  if (images) {
    impl_->images = *images;
  } else {
    impl_->images.resize(data.dataset.images.size());
    std::iota(impl_->images.begin(), impl_->images.end(), Index{0});
  }
  for (std::size_t i = 0; i < impl_->images.size(); ++i) impl_->entry(impl_->images[i]).row = i;
  if (views == Views::kOfTraining && pipeline.views() > 1) impl_->number_views();
  if (impl_->view_count > 0) impl_->tell_views(config);
  if (pipeline.reads_features()) {
    impl_->given.emplace(data, pipeline, impl_->images, views);
    impl_->half = config.half;
    const Index numbers = pipeline.shape().size() * std::ssize(impl_->images);
    impl_->holds_features = numbers * (config.half ? 2 : 4) <= kMostHeldFeatures;
  }
  if (!config.cache.empty() && (impl_->given || pipeline.frozen())) {
    impl_->given ? impl_->fill_given_cache(config, progress) : impl_->fill_cache(config, progress);
  } else {
    if (pipeline.frozen() && impl_->holds_features) {
      const auto width = static_cast<std::size_t>(pipeline.shape().size());
      impl_->memory = FeatureMemory(impl_->images.size(), width, config.half);
      impl_->view_memory = FeatureMemory(impl_->view_count, width, config.half);
    }
    impl_->read_all(progress);
  }
  impl_->tell_warnings();
  if (impl_->given) impl_->given->tell_remarks();
  impl_->collect_bad();
}

DatasetInputs::~DatasetInputs() = default;

Shape DatasetInputs::shape() const { return impl_->pipeline->shape(); }

PictureArea DatasetInputs::load(Index image, std::span<float> out) const {
  const Impl::Entry& entry = impl_->good(image);
  const InputPipeline& pipeline = *impl_->pipeline;
  SACCADE_CHECK(static_cast<Index>(out.size()) == shape().size(), "[inputs] an input has ", shape(),
                " numbers; got space for ", out.size());
  if (const SourceText* text = impl_->data->text(image)) {
    pipeline.run_text(text->tokens, out);
  } else if (impl_->cache) {
    impl_->cache->read(static_cast<Index>(entry.row), out);
  } else if (!impl_->holds_features) {
    impl_->given->read(image, out);
    if (impl_->half) round_to_halves(out);
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

std::vector<SeenClass> DatasetInputs::seen(Index image) const {
  impl_->good(image);
  std::vector<float> unused(static_cast<std::size_t>(shape().size()));  // what the network gives
  std::vector<SeenClass> out;
  impl_->pipeline->run(impl_->picture(image), unused, &out);
  return out;
}

Geometry DatasetInputs::load_augmented(Index image, const RandomKey& key,
                                       std::span<float> out) const {
  const Impl::Entry& entry = impl_->good(image);
  if (impl_->pipeline->frozen() && entry.views) {
    const auto view =
        static_cast<Index>(Random(key).below(static_cast<std::uint64_t>(impl_->pipeline->views())));
    if (view == 0) {
      load(image, out);
    } else if (impl_->view_cache) {
      impl_->view_cache->read(static_cast<Index>(impl_->row_of(entry, view)), out);
    } else {
      impl_->view_memory.read(impl_->row_of(entry, view), out);
    }
    return impl_->view_geometry(image, view);
  }
  if (impl_->pipeline->frozen() || !impl_->pipeline->augments()) {
    load(image, out);
    return entry.geometry;
  }
  return impl_->pipeline->run_augmented(entry.held.empty() ? impl_->data->image(image) : entry.held,
                                        key, out);
}

Index DatasetInputs::views() const { return impl_->view_count > 0 ? impl_->pipeline->views() : 1; }

InputBatch DatasetInputs::batch(std::span<const Index> images) const {
  InputBatch batch(shape(), static_cast<Index>(images.size()));
  for (Index i = 0; i < batch.count(); ++i)
    batch.set_area(i, load(images[static_cast<std::size_t>(i)], batch.values_of(i)));
  return batch;
}

Geometry DatasetInputs::geometry(Index image) const {
  const Geometry& known = impl_->good(image).geometry;
  if (known.original_width > 0) return known;
  const ImageSize size = impl_->data->image_size(image);
  if (impl_->pipeline->reads_features()) return geometry_of_features(size, known.places);
  return plan_geometry(size.height, size.width, impl_->pipeline->preparation());
}

std::span<const Index> DatasetInputs::bad_images() const { return impl_->bad; }

}  // namespace saccade
