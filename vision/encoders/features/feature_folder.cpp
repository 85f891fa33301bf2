// Features in a folder with a file per photo. Boxes lie in a folder beside it or in it; vectors of
// whole photos and times of frames may lie in it.
#include <algorithm>
#include <map>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/encoders/features/feature_source.h"
#include "vision/encoders/features/photo_arrays.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

bool is_features(const fs::path& path) {
  for (const char* ending : {".npy", ".npz", ".pth", ".pt", ".safetensors"})
    if (path.extension() == ending) return true;
  return false;
}

// The files of a folder, one for each photo.
class PhotoFiles {
 public:
  PhotoFiles() = default;
  explicit PhotoFiles(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!is_features(entry.path())) continue;
      const auto [place, added] = files_.emplace(entry.path().stem().string(), entry.path());
      if (!added)
        throw DataError(str(folder.string(), ": ", place->second.filename().string(), " and ",
                            entry.path().filename().string(),
                            " are of the same photo; keep one of the two"));
    }
    if (error) throw_io_error("read", folder, error.value());
    know();
  }
  // A file of a single photo.
  PhotoFiles(const std::string& id, const fs::path& file) : folder_(file) {
    files_.emplace(id, file);
    know();
  }

  const std::vector<std::string>& photos() const { return ids_.all(); }
  // Null where there is none.
  const fs::path* find(const std::string& photo) const {
    const auto id = ids_.find({&photo, 1});
    return id ? &files_.at(*id) : nullptr;
  }
  const fs::path& folder() const { return folder_; }

 private:
  void know() {
    std::vector<std::string> ids;
    for (const auto& [id, file] : files_) ids.push_back(id);
    ids_ = PhotoIds(std::move(ids));
  }

  fs::path folder_;
  std::map<std::string, fs::path> files_;
  PhotoIds ids_;
};

// The folder that has the same photos' boxes: X_box beside X_att, or a folder `boxes` inside.
// Empty: there is none.
fs::path folder_of_boxes(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder / kBoxesFolder, error)) return folder / kBoxesFolder;
  const fs::path whole = folder.has_filename() ? folder : folder.parent_path();
  const std::string name = whole.filename().string(), ending = "_att";
  if (!name.ends_with(ending)) return {};
  const fs::path beside =
      whole.parent_path() / (name.substr(0, name.size() - ending.size()) + "_box");
  return fs::is_directory(beside, error) ? beside : fs::path();
}

class FeatureFolder final : public FeatureSource {
 public:
  // `all`: the folder is used as a whole, so that each of its photos needs all parts.
  FeatureFolder(const fs::path& path, const fs::path& folder, PhotoFiles files, bool all,
                const FeatureSourceOptions& options)
      : options_(options), files_(std::move(files)), all_(all) {
    path_ = path.string();
    know(files_.photos());
    std::error_code error;
    if (const fs::path boxes = folder_of_boxes(folder); !boxes.empty()) boxes_ = PhotoFiles(boxes);
    for (auto [inside, parts] : {std::pair{kPooledFolder, &pooled_}, {kTimesFolder, &times_}})
      if (fs::is_directory(folder / inside, error)) *parts = PhotoFiles(folder / inside);
  }
  FeatureOutline outline(const std::string& id) const override {
    FeatureOutline out = outline_of_photo(*open_arrays(*files_.find(id)), options_.array);
    out.boxes = out.boxes || part(boxes_, id) != nullptr;
    out.times = out.times || part(times_, id) != nullptr;
    return out;
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    StoredFeatures out = photo_of(*open_arrays(*files_.find(id)), options_);
    const auto take = [&](const PhotoFiles& parts, const auto& read) {
      const fs::path* const path = part(parts, id);
      if (path == nullptr) return;
      const auto file = open_arrays(*path);
      read(*file, file->info(file->names().at(0)));
    };
    take(boxes_, [&](const auto& file, const auto& array) { take_boxes(file, array, out); });
    take(times_, [&](const auto& file, const auto& array) { take_times(file, array, out); });
    take(pooled_,
         [&](const auto& file, const auto& array) { out.pooled = pooled_vector(file, array); });
    return out;
  }

 private:
  // A photo's file among boxes, vectors or times; null where nothing has them.
  const fs::path* part(const PhotoFiles& parts, const std::string& id) const {
    const fs::path* const found = parts.find(id);
    if (found == nullptr && all_ && !parts.photos().empty())
      throw DataError(str(parts.folder().string(), ": it has no file of the photo ", id,
                          ", which has features in ", path_,
                          "; add it, or take the folder away if the others are not wanted"));
    return found;
  }

  FeatureSourceOptions options_;
  PhotoFiles files_, boxes_, pooled_, times_;
  bool all_;
};

}  // namespace

std::unique_ptr<FeatureSource> open_feature_photo(const fs::path& file,
                                                  const FeatureSourceOptions& options) {
  return std::make_unique<FeatureFolder>(file, file.parent_path(),
                                         PhotoFiles(file.stem().string(), file), false, options);
}

std::unique_ptr<FeatureSource> open_feature_folder(const fs::path& folder,
                                                   const FeatureSourceOptions& options) {
  std::error_code error;
  std::vector<fs::path> arrays;
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_features(entry.path())) {
      arrays.push_back(entry.path());
    } else if (const std::string name = entry.path().filename().string();
               entry.is_directory() || name.ends_with(".tsv") || name.ends_with(".h5") ||
               name.ends_with(".hdf5")) {
      others.push_back(name);
    }
  }
  if (error)
    throw IoError(
        str(folder.string(), ": cannot be read: ", error.message(), "; check its permissions"));
  std::sort(others.begin(), others.end());
  if (arrays.empty())
    throw DataError(str(folder.string(), ": the folder has no features of photos",
                        others.empty() ? " (.npy, .npz, .pth, .safetensors)"
                                       : "; name one of these in it: " + first_names(others)));
  // One array over all photos, with a list of them.
  if (arrays.size() == 1 && fs::exists(folder / "ids.json", error))
    return open_feature_arrays(arrays[0], options, true);
  return std::make_unique<FeatureFolder>(folder, folder, PhotoFiles(folder), true, options);
}

}  // namespace saccade
