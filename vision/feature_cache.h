// FeatureCache: the grids of a frozen encoder for a data set, computed once, in parallel, and kept
// in one HDF5 file with a row an image. Rows are read straight from the file (the system's page
// cache keeps what is hot), so a cache larger than memory works, and the process stays small.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "vision/encoders/grid.h"

namespace saccade {

class RowStore;

struct FeatureCacheOptions {
  std::string dataset{};  // what the ids are names in, such as the digest of a root folder
  bool half = true;       // 16-bit floats: half the space, three digits
  // What of each picture is encoded, in place of what the encoder's own preparation gives; called
  // from several threads. `variant` names it and is part of the cache's digest.
  std::function<Prepared(const Image& picture, Index image)> prepare{};
  std::string variant{};
  // Called after every image that was encoded, one call at a time. What it throws stops the work;
  // what is done by then is kept for the next time.
  std::function<void(Index done, Index total)> progress{};
  // Called in order, from the calling thread, for every image without features: the policy "skip".
  // When empty, the first such image's error is thrown: the policy "fail".
  std::function<void(Index image, const DataError& error)> on_bad_image{};
};

// An id for a file: its name and its size, so that a file that was replaced is encoded again.
std::string file_id(const std::filesystem::path& path, const std::string& name);

class FeatureCache {
 public:
  // The cache of these images in `<folder>/<digest of encoder, data set and precision>.h5`. Images
  // that are not in it yet, whatever else it holds, are loaded and encoded in parallel; equal ids
  // are one image. load_image gives the original picture; it may be called from several threads,
  // and its DataErrors make an image a bad one. Throws BusyError when another process fills the
  // same cache, IoError when the disk fails, DataError when features do not fit the precision.
  static FeatureCache open_or_fill(const std::filesystem::path& folder,
                                   const FrozenEncoder& encoder,
                                   const std::vector<std::string>& ids,
                                   const std::function<Image(Index)>& load_image,
                                   const FeatureCacheOptions& options);
  FeatureCache(FeatureCache&&) noexcept;
  ~FeatureCache();

  GridShape grid() const { return grid_; }
  Index size() const { return static_cast<Index>(rows_.size()); }  // images, bad ones too
  Index encoded() const { return encoded_; }                       // of them, now
  bool has(Index image) const { return rows_[static_cast<std::size_t>(image)] >= 0; }
  // Reads the grid of an image to out [regions, features]; from any thread. Throws DataError for a
  // bad image and for a row that does not have its digest.
  void read(Index image, std::span<float> out) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  FeatureCache() = default;

  std::filesystem::path path_;
  GridShape grid_;
  std::unique_ptr<RowStore> store_;
  std::vector<Index> rows_;  // of each image, -1 when it is bad
  Index encoded_ = 0;
};

}  // namespace saccade
