// Features in one file of arrays: HDF5, numpy, safetensors or torch.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/shallow_json.h"
#include "core/io/array_file.h"
#include "vision/encoders/features/feature_source.h"
#include "vision/encoders/features/photo_arrays.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// A file of arrays of a single photo.
class OnePhoto final : public FeatureSource {
 public:
  OnePhoto(const fs::path& path, std::unique_ptr<ArrayFile> file,
           const FeatureSourceOptions& options)
      : file_(std::move(file)), options_(options) {
    path_ = path.string();
    know({path.stem().string()});
  }
  FeatureOutline outline(const std::string&) const override {
    return outline_of_photo(*file_, options_.array);
  }

 protected:
  StoredFeatures load(const std::string&) const override { return photo_of(*file_, options_); }

 private:
  std::unique_ptr<ArrayFile> file_;
  FeatureSourceOptions options_;
};

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
    return {.shape = region_shape(info.shape),
            .torch = is_torch(*file_),
            .boxes = has(id, "_boxes"),
            .times = has(id, "_times")};
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    StoredFeatures out = features_of(*file_, file_->info(id + ending_));
    const auto part = [&](const std::string& name) {
      return file_->floats(file_->info(id + name));
    };
    if (has(id, "_boxes")) take_boxes(*file_, file_->info(id + "_boxes"), out);
    if (has(id, "_times")) take_times(*file_, file_->info(id + "_times"), out);
    // [[rows, columns]] of the picture as the detector saw it, whose pixels the boxes are.
    if (!ending_.empty() && file_->has(id + "_size")) {
      const std::vector<float> size = part("_size");
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
    if (!options.array.empty()) known = {options.array};
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const std::string& name) { return file_->has(name); });
    if (found == known.end())
      throw DataError(str(path_, ": none of its arrays is ", join_or(known),
                          "; name the one with the features as encoder.features.array: ",
                          join(file_->names(), ", ")));
    features_ = stacked(*found, count);
    const std::string start = found->substr(0, found->find("_feat"));
    if (file_->has(start + "_mask")) mask_ = stacked(start + "_mask", count);
    if (file_->has("boxes")) boxes_ = stacked("boxes", count);
    if (file_->has("times")) times_ = stacked("times", count);
    if (!options.pooled.empty()) pooled_ = stacked(options.pooled, count);
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!rows_.emplace(ids[i], static_cast<Index>(i)).second)
        throw DataError(str(path_, ": the photo ", ids[i], " is listed twice"));
    know(std::move(ids));
  }
  FeatureOutline outline(const std::string& id) const override {
    std::vector<Index> shape = region_shape({features_.shape.begin() + 1, features_.shape.end()});
    if (mask_) shape[0] = unmasked(rows_.at(id)).first;
    return {.shape = shape,
            .torch = is_torch(*file_),
            .boxes = boxes_.has_value(),
            .times = times_.has_value()};
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    const Index row = rows_.at(id);
    StoredFeatures out{
        .where = str(path_, ": row ", row, " of array '", features_.name, "' (", id, ")"),
        .shape = region_shape({features_.shape.begin() + 1, features_.shape.end()}),
        .values = file_->floats(features_, row, 1),
        .torch = is_torch(*file_)};
    if (boxes_) out.boxes = boxes_of(file_->floats(*boxes_, row, 1));
    if (times_) out.times = file_->floats(*times_, row, 1);
    if (times_ && std::ssize(out.times) != out.shape[0])
      throw DataError(str(path_, ": array 'times' is ", times_->text(), ", and '", features_.name,
                          "' has ", out.shape[0], " frames of each; the times are [",
                          times_->shape[0], ", ", out.shape[0], "]"));
    if (pooled_) out.pooled = file_->floats(*pooled_, row, 1);
    if (mask_) keep(out, unmasked(row).second);
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
  // How many of a photo's regions are no padding, and which: a mask is true for padding.
  std::pair<Index, std::vector<bool>> unmasked(Index row) const {
    std::vector<bool> kept;
    for (const float masked : file_->floats(*mask_, row, 1)) kept.push_back(masked == 0);
    return {std::count(kept.begin(), kept.end(), true), std::move(kept)};
  }
  void keep(StoredFeatures& out, const std::vector<bool>& kept) const {
    if (static_cast<Index>(kept.size()) != out.shape[0])
      throw DataError(str(path_, ": array '", mask_->name, "' masks ", kept.size(),
                          " regions, and '", features_.name, "' has ", out.shape[0]));
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
  std::error_code error;
  if (!fs::exists(list, error)) return std::nullopt;
  std::ifstream in(list);
  const nlohmann::json json = shallow_json<nlohmann::json>(in);
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
                                                   const FeatureSourceOptions& options) {
  std::unique_ptr<ArrayFile> file = open_arrays(path);
  if (auto ids = listed_ids(*file))
    return std::make_unique<StackedPhotos>(std::move(file), std::move(*ids), options);
  const bool lone = file->names().size() == 1 && file->names()[0].empty();
  if (lone)
    if (auto ids = ids_beside(path)) {
      const ArrayInfo info = file->info("");
      if (!info.shape.empty() && info.shape[0] == static_cast<Index>(ids->size()))
        return std::make_unique<StackedPhotos>(std::move(file), std::move(*ids), options);
    }
  const bool one_of_numpy = path.extension() == ".npz" && file->names().size() == 1;
  if (lone || one_of_numpy || features_name(*file, options.array))
    return std::make_unique<OnePhoto>(path, std::move(file), options);
  return std::make_unique<ArrayPerPhoto>(std::move(file), options);
}

}  // namespace saccade
