// Features in one file of arrays: HDF5, numpy, safetensors or torch.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"
#include "core/io/array_file.h"
#include "vision/encoders/features/feature_source.h"
#include "vision/encoders/features/photo_arrays.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// An array per photo; its name is the photo's, perhaps with what the array holds behind it:
// ID_features, ID_boxes, ID_times, ID_grids, ID_size.
class ArrayPerPhoto final : public FeatureSource {
 public:
  ArrayPerPhoto(std::unique_ptr<ArrayFile> file, const FeatureSourceOptions& options)
      : file_(std::move(file)), pooled_(options.pooled) {
    path_ = file_->source();
    std::vector<std::string> ids;
    if (!options.array.empty()) {
      ids = named_with("_" + options.array);
      if (ids.empty())
        throw DataError(str(path_, ": no photo has an array ID_", options.array,
                            "; there are, for example, ", first_names(file_->names())));
    } else {
      ids = named_with("_features");
      if (ids.empty()) ids = named_with("_grids");
    }
    if (ids.empty()) ids = file_->names();
    know(std::move(ids));
  }
  FeatureOutline outline(const std::string& id) const override {
    const ArrayInfo info = file_->info(id + ending_);
    const std::vector<Index> shape = region_shape(info.shape);
    check_features(*file_, info, shape);
    return {.shape = shape,
            .torch = is_torch(*file_),
            .boxes = has(id, "_boxes"),
            .times = has(id, "_times")};
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    StoredFeatures out = features_of(*file_, file_->info(id + ending_));
    if (has(id, "_boxes")) take_boxes(*file_, file_->info(id + "_boxes"), out);
    if (has(id, "_times")) take_times(*file_, file_->info(id + "_times"), out);
    // [[rows, columns]] of the picture as the detector saw it, whose pixels the boxes are.
    if (!ending_.empty() && file_->has(id + "_size")) {
      const std::vector<float> size = finite_floats(*file_, file_->info(id + "_size"), "size");
      if (size.size() != 2 || !(size[0] >= 1) || !(size[1] >= 1))
        throw DataError(str(path_, ": array '", id,
                            "_size' is not rows and columns of a picture, two positive numbers"));
      out.size = {.height = static_cast<Index>(size[0]), .width = static_cast<Index>(size[1])};
    }
    if (!pooled_.empty()) out.pooled = pooled_vector(*file_, file_->info(id + "_" + pooled_));
    return out;
  }

 private:
  // The photos with an array of this ending, which is kept where there are some.
  std::vector<std::string> named_with(const std::string& ending) {
    std::vector<std::string> ids;
    for (const std::string& name : file_->names())
      if (name.ends_with(ending)) ids.push_back(name.substr(0, name.size() - ending.size()));
    if (!ids.empty()) ending_ = ending;
    return ids;
  }
  // Whether a further array of this ending belongs to the photo's features.
  bool has(const std::string& id, const char* ending) const {
    return ending_ == "_features" && file_->has(id + ending);
  }
  std::unique_ptr<ArrayFile> file_;
  std::string ending_, pooled_;
};

// Arrays over all photos [N, ...] and a list of their names.
class StackedPhotos final : public FeatureSource {
 public:
  StackedPhotos(std::unique_ptr<ArrayFile> file, std::vector<std::string> ids,
                const FeatureSourceOptions& options)
      : file_(std::move(file)) {
    path_ = file_->source();
    const auto count = static_cast<Index>(ids.size());
    std::vector<std::string> known{"features", "feat", "gri_feat", "reg_feat", "grids", ""};
    if (!options.array.empty()) known = {options.array, ""};
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const std::string& name) { return file_->has(name); });
    if (found == known.end())
      throw DataError(str(path_, ": none of its arrays is ", join_or(known),
                          "; name the one with the features as encoder.features.array: ",
                          join(file_->names(), ", ")));
    features_ = stacked(*found, count);
    shape_ = region_shape({features_.shape.begin() + 1, features_.shape.end()});
    check_features(*file_, features_, shape_);
    const std::string start = found->substr(0, found->find("_feat"));
    if (file_->has(start + "_mask")) mask_ = beside_regions(start + "_mask", count, 1);
    // Boxes beside a grid and regions are those of the regions.
    if (file_->has("boxes") && start != "gri" && *found != "grids")
      boxes_ = beside_regions("boxes", count, 4);
    if (file_->has("times")) times_ = beside_regions("times", count, 1);
    if (!options.pooled.empty()) pooled_ = stacked(options.pooled, count);
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!rows_.emplace(ids[i], static_cast<Index>(i)).second)
        throw DataError(str(path_, ": the photo ", ids[i], " is listed twice"));
    know(std::move(ids));
  }
  FeatureOutline outline(const std::string& id) const override {
    std::vector<Index> shape = shape_;
    if (mask_) shape[0] = unmasked(id).first;
    return {.shape = shape,
            .torch = is_torch(*file_),
            .boxes = boxes_.has_value(),
            .times = times_.has_value()};
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    const Index row = rows_.at(id);
    StoredFeatures out{.where = str(place_of(*file_, features_.name), ", row ", row, " (", id, ")"),
                       .shape = shape_,
                       .values = finite_floats(*file_, features_, "feature", row),
                       .torch = is_torch(*file_)};
    if (boxes_) out.boxes = boxes_of(finite_floats(*file_, *boxes_, "box", row));
    if (times_) out.times = finite_floats(*file_, *times_, "time", row);
    if (pooled_) out.pooled = finite_floats(*file_, *pooled_, "pooled", row);
    if (mask_) keep(out, unmasked(id).second);
    check_rising(str(path_, ": array 'times', row ", row), out.times);
    return out;
  }

 private:
  ArrayInfo stacked(const std::string& name, Index count) const {
    ArrayInfo info = file_->info(name);
    if (info.shape.empty() || info.shape[0] != count)
      throw DataError(str(path_, ": array '", name, "' is ", info.text(), ", and there are ", count,
                          " photos; its first extent has to be their number"));
    return info;
  }
  // The same of an array with as many parts of `width` numbers as a photo has regions.
  ArrayInfo beside_regions(const std::string& name, Index count, Index width) const {
    ArrayInfo info = stacked(name, count);
    const bool whole = width == 1 || info.shape.back() == width;
    if (info.count() != count * shape_[0] * width || !whole)
      throw DataError(str(place_of(*file_, name), " is ", info.text(), ", and '", features_.name,
                          "' has ", shape_[0], " regions or frames of each photo; it has to be [",
                          count, ", ", shape_[0], width == 1 ? "" : str(", ", width), "]"));
    return info;
  }
  // How many of a photo's regions are no padding, and which: a mask is true for padding.
  std::pair<Index, std::vector<bool>> unmasked(const std::string& id) const {
    std::vector<bool> kept;
    for (const float masked : file_->floats(*mask_, rows_.at(id), 1)) kept.push_back(masked == 0);
    const Index count = std::count(kept.begin(), kept.end(), true);
    if (count == 0)
      throw DataError(str(place_of(*file_, mask_->name), ", row ", rows_.at(id), " (", id,
                          "): all regions of the photo are masked; compute its features again"));
    return {count, std::move(kept)};
  }
  static void keep(StoredFeatures& out, const std::vector<bool>& kept) {
    const std::size_t width = out.values.size() / kept.size();
    std::size_t to = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      std::copy_n(out.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  out.values.begin() + static_cast<std::ptrdiff_t>(to * width));
      if (!out.boxes.empty()) out.boxes[to] = out.boxes[i];
      if (!out.times.empty()) out.times[to] = out.times[i];
      ++to;
    }
    out.values.resize(to * width);
    if (!out.boxes.empty()) out.boxes.resize(to);
    if (!out.times.empty()) out.times.resize(to);
    out.shape[0] = static_cast<Index>(to);
  }

  std::unique_ptr<ArrayFile> file_;
  ArrayInfo features_;
  std::vector<Index> shape_;  // of one photo's, with its padding
  std::optional<ArrayInfo> mask_, boxes_, pooled_, times_;
  std::map<std::string, Index> rows_;
};

// The list of photos in the file, if it has one.
std::optional<std::vector<std::string>> listed_ids(const ArrayFile& file) {
  for (const char* name : {"image_ids", "image_id", "ids", "img_ids", "filenames", "names"})
    if (file.has(name))
      if (const ArrayInfo info = file.info(name);
          info.shape.size() == 1 && info.shape[0] > 0 && !file.has("image_h"))
        return file.texts(info);
  return std::nullopt;
}

// The list of photos in an ids.json beside an array.
std::optional<std::vector<std::string>> ids_beside(const fs::path& path) {
  const fs::path list = path.parent_path() / "ids.json";
  const std::optional<std::string> text = whole_file(list);
  if (!text) return std::nullopt;
  const nlohmann::json json = shallow_json<nlohmann::json>(*text);
  if (!json.is_array()) throw DataError(list.string() + ": it is no JSON list of photos' names");
  std::vector<std::string> ids;
  for (const auto& id : json) {
    if (!id.is_string() && !id.is_number_integer())
      throw DataError(
          str(list.string(), ": entry ", ids.size(), " is neither a name nor a number"));
    ids.push_back(id.is_string() ? id.get<std::string>() : std::to_string(id.get<std::int64_t>()));
  }
  return ids;
}

}  // namespace

std::unique_ptr<FeatureSource> open_feature_arrays(const fs::path& path,
                                                   const FeatureSourceOptions& options,
                                                   bool listed) {
  std::unique_ptr<ArrayFile> file = open_arrays(path);
  if (auto ids = listed_ids(*file))
    return std::make_unique<StackedPhotos>(std::move(file), std::move(*ids), options);
  const bool lone = file->names().size() == 1 && file->names()[0].empty();
  if (lone)
    if (auto ids = ids_beside(path)) {
      const ArrayInfo info = file->info("");
      const Index count = info.shape.empty() ? 1 : info.shape[0];
      if (count == std::ssize(*ids))
        return std::make_unique<StackedPhotos>(std::move(file), std::move(*ids), options);
      if (listed)
        throw DataError(str(path.string(), " is ", info.text(), ", and the ids.json beside it has ",
                            counted(std::ssize(*ids), "photo"),
                            "; it has to name the photos of the array's first extent, in order"));
    }
  const bool one_of_numpy = path.extension() == ".npz" && file->names().size() == 1;
  if (lone || one_of_numpy || features_name(*file, options.array))
    return open_feature_photo(path, options);
  return std::make_unique<ArrayPerPhoto>(std::move(file), options);
}

}  // namespace saccade
