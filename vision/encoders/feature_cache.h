// FeatureCache: the grids of a frozen encoder for a data set, computed once, in parallel, and kept
// in one file with one row per image. Rows are read straight from the file (the system's page cache
// keeps those in frequent use in memory), so that the cache may be larger than memory and the
// process stays small.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/messages.h"
#include "vision/encoders/grid.h"

namespace saccade {

class RowStore;

struct FeatureCacheOptions {
  // The data set in which the ids are names, such as the digest of a root folder.
  std::string dataset{};
  bool half = true;  // 16-bit floats: half the space, about three significant digits
  // Replaces the encoder's own preparation of a picture. It is called from several threads.
  // `variant` names it and is part of the cache's digest.
  std::function<Prepared(const Image& picture, Index image)> prepare{};
  std::string variant{};
  // Replaces pictures and encoder: writes the features of an image, and throws DataError where it
  // has none. Called from several threads.
  std::function<void(Index image, std::span<float> out)> write{};
  // Called after every image that was encoded, by one thread at a time. An exception that it throws
  // stops the work; what is done by then is kept for the next run.
  std::function<void(Index done, Index total)> progress{};
  // Called in order, from the calling thread, for every image without features (the policy "skip").
  // Where it is empty, the error of the first such image is thrown (the policy "fail"), whatever
  // the number of threads.
  std::function<void(Index image, const DataError& error)> on_bad_image{};
  // Receives what the features will take on disk, before they are computed, and a message where a
  // damaged file is replaced, or one of the form before, in HDF5, lies beside it and is not read.
  MessageListener listener{};
};

// An id of a file, made of its name and the digest of its bytes, so that a file that was replaced
// or changed is encoded again, whatever its size and its time. Files that cannot be read share one
// digest; reading them as images tells why.
std::string file_id(const std::filesystem::path& path, const std::string& name);

class FeatureCache {
 public:
  // Opens the cache of these images, `<folder>/<digest of encoder, data set and precision>.rows`.
  // Images that the file lacks are loaded and encoded in parallel, whatever else it holds; equal
  // ids are one image. load_image returns the original picture; it may be called from several
  // threads, and where it throws DataError the image counts as bad. Over ranks
  // (parallel::OverRanks), all encode, and the first one writes, so that any shared file system
  // will do. Throws BusyError when another process fills the same cache, IoError when the disk
  // fails, and DataError when features do not fit the precision.
  static FeatureCache open_or_fill(const std::filesystem::path& folder,
                                   const FrozenEncoder& encoder,
                                   const std::vector<std::string>& ids,
                                   const std::function<Image(Index)>& load_image,
                                   const FeatureCacheOptions& options);
  FeatureCache(FeatureCache&&) noexcept;
  ~FeatureCache();

  GridShape grid() const { return grid_; }
  // The number of images, including bad ones.
  Index size() const { return static_cast<Index>(rows_.size()); }
  // How many of them open_or_fill() encoded just now.
  Index encoded() const { return encoded_; }
  bool has(Index image) const { return rows_[static_cast<std::size_t>(image)] >= 0; }
  // Reads the grid of an image into out [regions, features]; may be called from any thread. Throws
  // DataError for a bad image and for a row whose digest is wrong.
  void read(Index image, std::span<float> out) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  FeatureCache() = default;

  std::filesystem::path path_;
  GridShape grid_;
  std::unique_ptr<RowStore> store_;
  std::vector<Index> rows_;  // of each image; -1 for a bad one
  Index encoded_ = 0;
};

}  // namespace saccade
