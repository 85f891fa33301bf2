#include "captioning/data/data_places.h"

#include <filesystem>

#include "captioning/data/data_sets.h"
#include "captioning/data/readers.h"
#include "core/base/error.h"
#include "core/base/own_place.h"
#include "core/config/traits.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// Whether a file has the name of one that is published, and that data_guide() tells of.
bool is_published(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (const char* begin : {"dataset_coco", "dataset_flickr", "captions_train", "captions_val",
                            "instances_", "Flickr8k", "Flickr_8k", "Flicker8k", "train2014",
                            "train2017", "val2014", "val2017", "glove.", "resnet", "vgg"})
    if (name.starts_with(begin)) return true;
  return name.ends_with(".onnx");
}

// What a newcomer may not know: where the program looks, or from whom a file can be had.
std::string remedy(const NamedFile& file) {
  if (file.path.starts_with("~") || file.path.find('$') != std::string::npos)
    return str(file.path.starts_with("~") ? "~" : "$NAME",
               " is not replaced by a folder in a config; write the path out");
  if (is_published(file.path)) return data_guide() + " says where to get it";
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const std::string start = fs::path(file.path).is_absolute() || error
                                ? std::string()
                                : str(", which starts at ", here.string());
  const bool own = file.key == "train.init_from";  // a run of one's own
  return str(
      "check the path", start,
      own ? std::string() : str("; ", data_guide(), " says where published data and networks are"));
}

}  // namespace

bool is_key_of_boxes(const std::string& key) {
  return key.starts_with("data.") && key.ends_with(".boxes");
}

std::string missing_text(const NamedFile& file) {
  return str(file.key, ": ", file.path, " is missing; ", remedy(file));
}

std::string problem_of_place(const NamedFile& file) {
  std::error_code error;
  if (!fs::exists(file.path, error)) return missing_text(file);
  if (is_folder_of_images(file.key) && !fs::is_directory(file.path, error))
    return str(file.key, ": ", file.path, " is a file; name the folder of the images");
  return "";
}

namespace {

// `section` is that of the config: data, or data.sets.NAME. Adds to `not_given` what the set needs
// and the config leaves empty: "A needs B, C; D needs E".
std::vector<std::string> missing_of(const DataConfig& config, const std::string& section,
                                    ImageFolders folders, std::string& not_given) {
  std::string needing;
  std::vector<std::string> out;
  for (const NamedFile& file : files_of_set(config, section, folders)) {
    if (file.path.empty()) {
      if (file.needed_by.empty()) continue;
      if (file.needed_by == needing)
        not_given += ", " + file.key;
      else
        not_given += str(not_given.empty() ? "" : "; ", file.needed_by, " needs ", file.key);
      needing = file.needed_by;
    } else if (const std::string problem = problem_of_place(file);
               !is_key_of_boxes(file.key) && !problem.empty()) {
      out.push_back(problem);
    }
  }
  if (out.empty() && not_given.empty() && config.type == DataKind::kFolder &&
      config.annotations.empty()) {
    if (config.images.empty()) {
      not_given =
          str("data.type folder without ", section, ".images needs ", section, ".annotations");
      return out;
    }
    const fs::path captions = captions_beside(config.images);
    std::error_code error;
    if (!fs::exists(captions, error))
      out.push_back(str(section, ".annotations is not given, and ", captions.string(),
                        " is missing; write its captions there, a line image,caption and one line "
                        "per caption, or name another file"));
  }
  return out;
}

}  // namespace

std::vector<std::string> missing_places(const DataConfig& config, ImageFolders folders) {
  std::string not_given;
  std::vector<std::string> all;
  if (config.type == DataKind::kJoined) {
    for (const NamedDataConfig& set : joined_sets(config))
      for (std::string& line : missing_of(set.config, "data.sets." + set.name, folders, not_given))
        all.push_back(std::move(line));
  } else {
    all = missing_of(config, "data", folders, not_given);
  }
  if (!not_given.empty())
    throw UsageError(str(not_given, "; set it in the config (", data_guide(),
                         " says where published data are)"));
  return all;
}

}  // namespace saccade
