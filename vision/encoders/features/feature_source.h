// Features of photos that another program computed, in any of the forms in which they are
// published: a folder with a file per photo, one file of arrays, or lines of text. The form is told
// by the content.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/real.h"
#include "vision/images/image.h"

namespace saccade {

// What a file has of one photo, as it stands there.
struct StoredFeatures {
  std::string where{};         // "FILE: array 'feat'", "FILE: line 7", for messages
  std::vector<Index> shape{};  // of the values, without extents of 1 before the last two
  std::vector<float> values{};
  bool torch = false;  // written by torch, where channels come before rows and columns
  // [n] edges x1 y1 x2 y2, in pixels of a picture or, where they are relative, in shares of its
  // width and height; none: the file has no boxes.
  std::vector<std::array<float, 4>> boxes{};
  bool relative = false;
  std::optional<ImageSize> size{};  // of the picture whose pixels they are
  std::vector<float> pooled{};      // of the photo as a whole; none: the file has none
  std::vector<float> times{};       // [n] of frames, in seconds; none: the file has none
};

// What is known of a photo's features before they are read.
struct FeatureOutline {
  std::vector<Index> shape{};  // as above
  bool torch = false;
  bool boxes = false;
  bool times = false;
};

// The ids of photos, and by which names each is found.
class PhotoIds {
 public:
  PhotoIds() = default;
  explicit PhotoIds(std::vector<std::string> ids);

  const std::vector<std::string>& all() const { return ids_; }  // in byte order
  // The id of a photo that is called by these names (its id, its file): one that equals a name,
  // with or without folders and ending, or the same number of COCO. None: there is no such photo.
  std::optional<std::string> find(std::span<const std::string> names) const;

 private:
  std::vector<std::string> ids_;
  std::unordered_map<std::string, std::string> by_name_;
};

class FeatureSource {
 public:
  virtual ~FeatureSource() = default;

  const std::string& path() const { return path_; }
  // The names by which the source knows its photos, in byte order.
  const std::vector<std::string>& ids() const { return ids_.all(); }
  std::optional<std::string> find(std::span<const std::string> names) const {
    return ids_.find(names);
  }
  // Both may be called from several threads. They throw DataError, which names file, place, what
  // was expected and what was found, where something is damaged, extents of features, boxes and
  // times differ, a number is not finite, or times do not rise.
  virtual FeatureOutline outline(const std::string& id) const = 0;
  StoredFeatures read(const std::string& id) const;

 protected:
  virtual StoredFeatures load(const std::string& id) const = 0;
  void know(std::vector<std::string> ids) { ids_ = PhotoIds(std::move(ids)); }

  std::string path_;

 private:
  PhotoIds ids_;
};

// What a folder with a file per photo may have inside: folders with the same photos' boxes [n, 4],
// with a vector [D] of each photo as a whole, and with the times [n] of frames.
inline constexpr const char *kBoxesFolder = "boxes", *kPooledFolder = "pooled",
                            *kTimesFolder = "times";

struct FeatureSourceOptions {
  std::string array{};   // which array has the features; "": as it is recognised
  std::string pooled{};  // the array with a vector of the whole photo; "": none
};

// Opens features by what lies at the path. Throws DataError, with what was found and a remedy,
// where nothing of that can be read, and IoError.
std::unique_ptr<FeatureSource> open_features(const std::filesystem::path& path,
                                             const FeatureSourceOptions& options = {});

// Its parts, private to the folder. Each gives null where the path holds another form.
std::unique_ptr<FeatureSource> open_feature_table(const std::filesystem::path& path);
// `listed`: an ids.json beside the file has to name its photos.
std::unique_ptr<FeatureSource> open_feature_arrays(const std::filesystem::path& path,
                                                   const FeatureSourceOptions& options,
                                                   bool listed = false);
std::unique_ptr<FeatureSource> open_feature_folder(const std::filesystem::path& folder,
                                                   const FeatureSourceOptions& options);
// A file of one photo, with its part of the folders beside it.
std::unique_ptr<FeatureSource> open_feature_photo(const std::filesystem::path& file,
                                                  const FeatureSourceOptions& options);
// Throws DataError where a number is not finite: "PLACE: box number 3 of 28 is nan".
void check_finite(const std::string& place, const char* what, std::span<const float> numbers);
// Throws DataError where the times of frames do not rise.
void check_rising(const std::string& place, std::span<const float> times);
// The extents of an array without those of 1 before its last two; a vector is one region.
std::vector<Index> region_shape(std::vector<Index> shape);
// [n * 4] numbers as boxes.
std::vector<std::array<float, 4>> boxes_of(std::span<const float> numbers);

}  // namespace saccade
