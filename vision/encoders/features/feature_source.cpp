#include "vision/encoders/features/feature_source.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>

#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/listing.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

bool all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A name without folders and the ending of a picture, a film, a sound or a file of features.
std::string bare_name(const std::string& name) {
  std::string bare = name.substr(name.find_last_of("/\\") + 1);
  const std::size_t dot = bare.rfind('.');
  if (dot == std::string::npos || dot == 0) return bare;
  std::string ending = bare.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* known :
       {".jpg", ".jpeg",        ".png", ".bmp",  ".webp", ".tif", ".tiff", ".npy", ".npz", ".pth",
        ".pt",  ".safetensors", ".wav", ".flac", ".mp3",  ".mp4", ".webm", ".avi", ".mkv", ".mov"})
    if (ending == known) return bare.substr(0, dot);
  return bare;
}

// COCO's number of a photo, without zeros in front: the whole name, or the last part of
// COCO_val2014_000000000042. "" for other names, whose digits are no such number.
std::string coco_number(const std::string& bare) {
  constexpr std::size_t kDigits = 12;
  const std::size_t line = bare.rfind('_');
  std::string number = line == std::string::npos ? bare : bare.substr(line + 1);
  if (!all_digits(number) || (line != std::string::npos && number.size() != kDigits)) return "";
  number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
  return number;
}

}  // namespace

PhotoIds::PhotoIds(std::vector<std::string> ids) : ids_(std::move(ids)) {
  std::sort(ids_.begin(), ids_.end());
  for (const std::string& id : ids_) by_name_.emplace(id, id);
  // Names that several photos share tell none of them.
  std::unordered_map<std::string, std::string> further;
  const auto add = [&](const std::string& name, const std::string& id) {
    if (name.empty() || by_name_.contains(name)) return;
    const auto [place, added] = further.emplace(name, id);
    if (!added && place->second != id) place->second.clear();
  };
  for (const std::string& id : ids_) {
    const std::string bare = bare_name(id);
    add(bare, id);
    if (const std::string number = coco_number(bare); !number.empty()) add("#" + number, id);
  }
  for (auto& [name, id] : further)
    if (!id.empty()) by_name_.emplace(name, id);
}

std::optional<std::string> PhotoIds::find(std::span<const std::string> names) const {
  const auto look = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (auto id = look(name)) return id;
    if (auto id = look(name.substr(name.find_last_of("/\\") + 1))) return id;
    if (auto id = look(bare_name(name))) return id;
  }
  for (const std::string& name : names)
    if (const std::string number = coco_number(bare_name(name)); !number.empty())
      if (auto id = look("#" + number)) return id;
  return std::nullopt;
}

void check_finite(const std::string& place, const char* what, std::span<const float> numbers) {
  const auto bad =
      std::find_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
  if (bad == numbers.end()) return;
  throw DataError(str(place, ": ", what, " number ", bad - numbers.begin(), " of ", numbers.size(),
                      " is ", *bad,
                      ", and all have to be finite; compute the features of this photo again"));
}

void check_rising(const std::string& place, std::span<const float> times) {
  const auto bad = std::adjacent_find(times.begin(), times.end(), std::greater_equal<>());
  if (bad == times.end()) return;
  throw DataError(str(place, ": time number ", bad - times.begin() + 1, " of ", times.size(),
                      " is ", *(bad + 1), " s, and the one before it ", *bad,
                      " s; the times of frames have to rise"));
}

StoredFeatures FeatureSource::read(const std::string& id) const {
  StoredFeatures features = load(id);
  const std::vector<Index>& shape = features.shape;
  const Index count = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
  SACCADE_ASSERT(shape.size() >= 2 && count == std::ssize(features.values), features.where, ": ",
                 features.values.size(), " numbers of features");
  const auto fits = [&](std::size_t parts) {
    return parts == 0 || static_cast<Index>(parts) == shape[0];
  };
  SACCADE_ASSERT(fits(features.boxes.size()) && fits(features.times.size()), features.where, ": ",
                 features.boxes.size(), " boxes and ", features.times.size(), " times of ",
                 shape[0], " regions");
  return features;
}

std::vector<Index> region_shape(std::vector<Index> shape) {
  if (shape.empty()) shape = {1};
  while (shape.size() > 2 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  return shape;
}

std::vector<std::array<float, 4>> boxes_of(std::span<const float> numbers) {
  std::vector<std::array<float, 4>> boxes(numbers.size() / 4);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, boxes[i].begin());
  return boxes;
}

std::unique_ptr<FeatureSource> open_features(const fs::path& path,
                                             const FeatureSourceOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw DataError(path.string() +
                    ": no such file or folder of features; name its place with "
                    "encoder.features.path=PLACE");
  if (fs::is_directory(path, error)) return open_feature_folder(path, options);
  const std::string ending = path.extension().string();
  if (ending == ".pkl" || ending == ".pickle")
    throw DataError(path.string() +
                    ": it is a pickle of Python, which is never run; save its features as arrays: "
                    "np.save('features.npy', x), and the photos' names in an ids.json beside it");
  std::unique_ptr<FeatureSource> source = open_feature_table(path);
  if (!source) source = open_feature_arrays(path, options);
  if (source->ids().empty())
    throw DataError(path.string() + ": there are no features of photos in it");
  return source;
}

}  // namespace saccade
