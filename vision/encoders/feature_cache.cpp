#include "vision/encoders/feature_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "core/base/atomic_file.h"
#include "core/base/digest.h"
#include "core/base/listing.h"
#include "core/io/row_store.h"
#include "core/kernels/precision.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/ranks.h"
#include "vision/images/file_bytes.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

using BadImages = std::map<Index, DataError>;

struct Source {
  const FrozenEncoder& encoder;
  const std::vector<std::string>& ids;
  const std::function<Image(Index)>& load_image;
  const FeatureCacheOptions& options;
  std::unordered_map<std::string, Index> first;  // the first image with each id
};

// Writes the features of an image. Throws DataError where it is bad.
void compute(const Source& source, Index image, std::span<float> out) {
  if (source.options.write) return source.options.write(image, out);
  const Image picture = source.load_image(image);
  const Prepared prepared = source.options.prepare ? source.options.prepare(picture, image)
                                                   : prepare(picture, source.encoder.preparation());
  source.encoder.encode(prepared.image, picture_area(prepared.geometry), out);
}

RowFormat format_of(const Source& source) {
  const GridShape grid = source.encoder.grid();
  Digest key;
  key.add(source.encoder.digest());
  if (precision() == Precision::kBf16) key.add("bf16");
  key.add("ids by content");  // older files, whose ids were names and sizes, stay apart
  key.add(source.options.dataset);
  key.add(source.options.half ? "half" : "float");
  if (!source.options.variant.empty()) key.add(source.options.variant);
  return {.key = key.hex(), .shape = {grid.vectors(), grid.features}, .half = source.options.half};
}

// The store as it is, or null when there is none that can be used.
std::unique_ptr<RowStore> open_store(const fs::path& path, const RowFormat& format) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return nullptr;
  try {
    auto store = std::make_unique<RowStore>(path, format.key);
    if (store->format() == format) return store;
  } catch (const DataError&) {  // the writer reports the error when it replaces the file
  }
  return nullptr;
}

// Whether there is something to encode: an image that is not in the store, and that can be read now
// in case it was left out before. Images that still cannot be read go to `bad`.
bool needs_filling(const Source& source, const RowStore* store, BadImages& bad) {
  if (!store) return true;
  std::unordered_map<std::string, bool> known;
  for (const std::string& id : store->ids()) known.emplace(id, true);
  for (const auto& [id, image] : source.first) {
    if (store->contains(id)) continue;
    if (!known.contains(id)) return true;
    try {
      if (source.options.write) {
        std::vector<float> unused(static_cast<std::size_t>(source.encoder.grid().size()));
        source.options.write(image, unused);
      } else {
        source.load_image(image);
      }
      return true;
    } catch (const DataError& error) {
      bad.emplace(image, error);
    }
  }
  return false;
}

// Says what a store of so many rows takes, and what its folder has.
void tell_size(const FeatureCache& cache, const RowFormat& format, std::size_t rows,
               const MessageListener& listener) {
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(format.width()) * (format.half ? 2 : 4);
  std::error_code error;
  const fs::space_info space = fs::space(cache.path().parent_path(), error);
  inform(listener,
         str(cache.path().string(), ": features of ", counted(static_cast<Index>(rows), "image"),
             " take ", data_size(bytes),
             error ? ""
                   : " of " + data_size(static_cast<double>(space.available)) + " that are free"));
}

// Names the files of the form before, which was HDF5: they are neither read nor removed.
void tell_former(fs::path path, const MessageListener& listener) {
  for (const char* ending : {".h5", ".h5.part"}) {
    const fs::path former = path.replace_extension().concat(ending);
    std::error_code ignored;
    if (fs::exists(former, ignored))
      warn(listener, former.string() +
                         ": features in a form that is no longer read; they are computed again, so "
                         "delete the file");
  }
}

// Encodes the images that the writer lacks. Returns how many it encoded.
Index encode_missing(const Source& source, RowStoreWriter& writer, BadImages& bad) {
  const std::vector<std::string> missing = writer.missing();
  const auto total = static_cast<Index>(missing.size());
  const auto grid_size = static_cast<std::size_t>(source.encoder.grid().size());
  // Behind an image that fails, none is begun; those before it are, so that it is always the first
  // one that fails whose error is thrown.
  std::atomic<Index> end = total;
  std::mutex mutex;
  Index done = 0;
  const auto encode_one = [&](const std::string& id) {
    const auto found = source.first.find(id);
    // An id without an image belonged to a data set that has shrunk since.
    if (found == source.first.end()) return writer.leave_out(id);
    std::vector<float> grid(grid_size);
    try {
      compute(source, found->second, grid);
    } catch (const DataError& error) {
      if (!source.options.on_bad_image) throw;
      writer.leave_out(id);
      const std::lock_guard lock(mutex);
      bad.emplace(found->second, error);
      return;
    }
    writer.write(id, grid);
    const std::lock_guard lock(mutex);
    ++done;
    if (source.options.progress)
      source.options.progress(done, total - static_cast<Index>(bad.size()));
  };
  parallel::for_each(total, [&](Index i) {
    if (i >= end) return;
    try {
      encode_one(missing[static_cast<std::size_t>(i)]);
    } catch (...) {
      for (Index now = end; i < now && !end.compare_exchange_weak(now, i);) {
      }
      throw;
    }
  });
  return done;
}

// What a rank tells the others of an image: its features, or why there are none.
struct Encoded {
  enum class State : char { kFeatures, kLeftOut, kBad };
  State state = State::kFeatures;
  std::string content;  // floats; of a bad image its number and the error
};

Encoded encode_for_others(const Source& source, const std::string& id) {
  const auto found = source.first.find(id);
  if (found == source.first.end()) return {Encoded::State::kLeftOut, {}};
  try {
    std::vector<float> grid(static_cast<std::size_t>(source.encoder.grid().size()));
    compute(source, found->second, grid);
    return {Encoded::State::kFeatures,
            {reinterpret_cast<const char*>(grid.data()), grid.size() * sizeof(float)}};
  } catch (const DataError& error) {
    return {Encoded::State::kBad, error.what()};
  }
}

// encode_missing() over ranks: `writer` is that of the first rank, and null on the others.
Index encode_over_ranks(const Source& source, RowStoreWriter* writer, BadImages& bad) {
  constexpr Index kTogether = 32;  // images of a rank between two messages
  const parallel::Ranks& ranks = *parallel::ranks();
  const std::vector<std::string> missing =
      parallel::join_texts(writer ? writer->missing() : std::vector<std::string>());
  const auto total = static_cast<Index>(missing.size());
  Index done = 0;
  for (Index begin = 0; begin < total; begin += kTogether * ranks.count()) {
    const Index first = std::min(begin + kTogether * ranks.rank(), total);
    const Index own = std::min(kTogether, total - first);
    std::vector<std::string> texts(static_cast<std::size_t>(own));
    parallel::for_each(own, [&](Index i) {
      const Encoded one = encode_for_others(source, missing[static_cast<std::size_t>(first + i)]);
      texts[static_cast<std::size_t>(i)] = static_cast<char>(one.state) + one.content;
    });
    const std::vector<std::string> all = parallel::join_texts(texts);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string& id = missing[static_cast<std::size_t>(begin) + i];
      const auto state = static_cast<Encoded::State>(all[i].front());
      if (state == Encoded::State::kBad) {
        const DataError error(all[i].substr(1));
        if (!source.options.on_bad_image) throw error;
        bad.emplace(source.first.at(id), error);
      }
      if (state == Encoded::State::kFeatures) {
        std::vector<float> grid((all[i].size() - 1) / sizeof(float));
        std::memcpy(grid.data(), all[i].data() + 1, grid.size() * sizeof(float));
        if (writer) writer->write(id, grid);
        ++done;
      } else if (writer) {
        writer->leave_out(id);
      }
    }
    if (source.options.progress)
      source.options.progress(done, total - static_cast<Index>(bad.size()));
  }
  return done;
}

// Waits until a file that another rank has written is seen here: a shared file system may take a
// moment.
void wait_for(const fs::path& path) {
  std::error_code error;
  for (int tries = 0; tries < 100 && !fs::exists(path, error); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

std::string file_id(const fs::path& path, const std::string& name) {
  Digest content;
  try {
    const std::vector<std::uint8_t> bytes =
        read_file_bytes(path, {.noun = "image", .max_bytes = kMaxImageFileBytes});
    content.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const Error&) {
    return name + "#";
  }
  return str(name, "#", content.hex());
}

FeatureCache FeatureCache::open_or_fill(const fs::path& folder, const FrozenEncoder& encoder,
                                        const std::vector<std::string>& ids,
                                        const std::function<Image(Index)>& load_image,
                                        const FeatureCacheOptions& options) {
  Source source{encoder, ids, load_image, options, {}};
  for (std::size_t i = 0; i < ids.size(); ++i) source.first.emplace(ids[i], static_cast<Index>(i));
  const RowFormat format = format_of(source);
  FeatureCache cache;
  cache.path_ = folder / (format.key + ".rows");
  cache.grid_ = encoder.grid();

  BadImages bad;
  cache.store_ = open_store(cache.path_, format);
  const bool fills = needs_filling(source, cache.store_.get(), bad);
  if (parallel::of_first_rank(fills ? "fills" : "") == "fills") {
    std::size_t rows = source.first.size();
    if (cache.store_)
      for (const std::string& id : cache.store_->ids()) rows += source.first.contains(id) ? 0 : 1;
    cache.store_.reset();
    bad.clear();
    std::optional<RowStoreWriter> writer;
    if (parallel::is_first_rank()) {
      make_folders(folder);
      tell_former(cache.path_, options.listener);
      tell_size(cache, format, rows, options.listener);
      writer.emplace(cache.path_, format, ids, options.listener);
    }
    cache.encoded_ = parallel::ranks() ? encode_over_ranks(source, writer ? &*writer : nullptr, bad)
                                       : encode_missing(source, *writer, bad);
    if (writer) writer->finish();
    parallel::of_first_rank("");  // the others wait until the file is complete
  }
  if (!cache.store_) {
    wait_for(cache.path_);
    cache.store_ = std::make_unique<RowStore>(cache.path_, format.key);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = bad.find(source.first.at(ids[i]));
    if (found == bad.end()) continue;
    if (!options.on_bad_image) throw found->second;
    options.on_bad_image(static_cast<Index>(i), found->second);
  }
  for (const std::string& id : ids)
    cache.rows_.push_back(cache.store_->contains(id) ? cache.store_->row(id) : -1);
  return cache;
}

FeatureCache::FeatureCache(FeatureCache&&) noexcept = default;
FeatureCache::~FeatureCache() = default;

void FeatureCache::read(Index image, std::span<float> out) const {
  SACCADE_CHECK(image >= 0 && image < size(), "[features] image ", image, " of ", size());
  SACCADE_CHECK(static_cast<Index>(out.size()) == grid_.size(), "[features] output needs ",
                grid_.size(), " numbers; got ", out.size());
  if (!has(image))
    throw DataError(str(path_.string(), ": there are no features of image ", image,
                        ", which could not be read"));
  store_->read(rows_[static_cast<std::size_t>(image)], out);
}

}  // namespace saccade
