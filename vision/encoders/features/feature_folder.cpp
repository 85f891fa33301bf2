// Features in a folder with a file per photo. Boxes lie in a folder beside it or in it; vectors of
// whole photos and times of frames may lie in it.
#include <algorithm>
#include <map>
#include <utility>

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
  FeatureFolder(const fs::path& folder, const FeatureSourceOptions& options) : options_(options) {
    path_ = folder.string();
    files_ = files_in(folder);
    std::vector<std::string> ids;
    for (const auto& [id, file] : files_) ids.push_back(id);
    know(std::move(ids));
    if (const fs::path boxes = folder_of_boxes(folder); !boxes.empty()) boxes_ = files_in(boxes);
    for (auto [inside, files] : {std::pair{kPooledFolder, &pooled_}, {kTimesFolder, &times_}})
      if (std::error_code error; fs::is_directory(folder / inside, error))
        *files = files_in(folder / inside);
  }
  FeatureOutline outline(const std::string& id) const override {
    FeatureOutline out = outline_of_photo(*open_arrays(files_.at(id)), options_.array);
    out.boxes = out.boxes || boxes_.contains(id);
    out.times = out.times || times_.contains(id);
    return out;
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    StoredFeatures out = photo_of(*open_arrays(files_.at(id)), options_);
    if (const auto boxes = boxes_.find(id); boxes != boxes_.end()) {
      const auto file = open_arrays(boxes->second);
      take_boxes(*file, file->info(file->names().at(0)), out);
    }
    if (const auto pooled = pooled_.find(id); pooled != pooled_.end()) {
      const auto file = open_arrays(pooled->second);
      out.pooled = pooled_vector(*file, file->info(file->names().at(0)));
    }
    if (const auto times = times_.find(id); times != times_.end()) {
      const auto file = open_arrays(times->second);
      take_times(*file, file->info(file->names().at(0)), out);
    }
    return out;
  }

 private:
  using Files = std::map<std::string, fs::path>;
  static Files files_in(const fs::path& folder) {
    Files files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!is_features(entry.path())) continue;
      const auto [place, added] = files.emplace(entry.path().stem().string(), entry.path());
      if (!added)
        throw DataError(str(folder.string(), ": ", place->second.filename().string(), " and ",
                            entry.path().filename().string(),
                            " are of the same photo; keep one of the two"));
    }
    return files;
  }

  FeatureSourceOptions options_;
  Files files_, boxes_, pooled_, times_;
};

}  // namespace

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
    return open_feature_arrays(arrays[0], options);
  return std::make_unique<FeatureFolder>(folder, options);
}

}  // namespace saccade
