#include "captioning/study/grounding/configured_boxes.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "core/base/error.h"

namespace saccade {

namespace {

// The boxes of joined data sets, each from its own file.
class JoinedBoxes : public PhotoBoxes {
 public:
  struct Part {
    DatasetPart images;
    std::unique_ptr<PhotoBoxes> boxes;
  };
  explicit JoinedBoxes(std::vector<Part> parts) : parts_(std::move(parts)) {}

  std::string description() const override {
    std::string out;
    for (const Part& part : parts_)
      out += str(out.empty() ? "" : "; ", part.images.name, ": ", part.boxes->description());
    return out;
  }
  bool knows(Index image) const override {
    const Part* part = part_of(image);
    return part != nullptr && part->boxes->knows(image - part->images.begin);
  }
  std::vector<NounBoxes> nouns(Index image, std::span<const std::string> words,
                               const ImageSize& size) const override {
    const Part* part = part_of(image);
    if (part == nullptr) return {};
    return part->boxes->nouns(image - part->images.begin, words, size);
  }

 private:
  const Part* part_of(Index image) const {
    for (const Part& part : parts_)
      if (image >= part.images.begin && image < part.images.end) return &part;
    return nullptr;
  }

  std::vector<Part> parts_;
};

// Boxes of one data set, and the key of the config that names them.
struct BoxesOfSet {
  std::string key, path;
  const Dataset& dataset;
};

// Reads the boxes of images of one data set; may return null.
using ReadBoxes =
    std::function<std::unique_ptr<PhotoBoxes>(const BoxesOfSet&, std::span<const Index>)>;

std::string key_of_set(const std::string& name) { return str("data.sets.", name, ".boxes"); }

// Reads those of the data set, or of each that was joined; null where no set has boxes.
std::unique_ptr<PhotoBoxes> read_each(const DataConfig& config, const LoadedData& data,
                                      std::span<const Index> images, const ReadBoxes& read) {
  if (data.sets.empty()) return read({"data.boxes", config.boxes, data.dataset}, images);
  std::vector<JoinedBoxes::Part> parts;
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    const DatasetPart& part = data.dataset.parts[s];
    std::vector<Index> own;
    for (const Index image : images)
      if (image >= part.begin && image < part.end) own.push_back(image - part.begin);
    if (own.empty()) continue;
    const JoinedSet& set = data.sets[s];
    if (auto boxes = read({key_of_set(part.name), set.config.boxes, set.dataset}, own))
      parts.push_back({.images = part, .boxes = std::move(boxes)});
  }
  if (parts.empty()) return nullptr;
  return std::make_unique<JoinedBoxes>(std::move(parts));
}

void require_place(const std::string& key, const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::exists(path, error)) return;
  throw DataError(str(key, ": ", path,
                      ": no such file or folder; name a COCO instances JSON or a folder of "
                      "Flickr30k Entities, or leave ",
                      key, " empty"));
}

// Throws DataError where a path that the user named does not exist.
void require_places(const DataConfig& config, const IsNamed& named) {
  const auto require = [&](const std::string& key, const std::string& path) {
    if (named(key)) require_place(key, path);
  };
  if (config.type != DataKind::kJoined) return require("data.boxes", config.boxes);
  for (const NamedDataConfig& set : joined_sets(config))
    require(key_of_set(set.name), set.config.boxes);
}

// Throws what read_photo_boxes() throws where no image of the data set has boxes.
void require_boxes_of_any(const std::string& path, const Dataset& dataset) {
  std::vector<Index> all(dataset.images.size());
  std::iota(all.begin(), all.end(), Index{0});
  read_photo_boxes(path, dataset, all);
}

}  // namespace

bool named_all(const std::string& /*key*/) { return true; }

std::unique_ptr<PhotoBoxes> configured_boxes(const DataConfig& config, const LoadedData& data,
                                             std::span<const Index> images,
                                             const MessageListener& listener,
                                             const IsNamed& named) {
  if (config.is_drawn()) return nullptr;
  if (named) require_places(config, named);
  if (images.empty()) return nullptr;
  std::string wrong;
  auto boxes = read_each(
      config, data, images,
      [&](const BoxesOfSet& set, std::span<const Index> own) -> std::unique_ptr<PhotoBoxes> {
        if (set.path.empty()) return nullptr;
        try {
          return read_photo_boxes(set.path, set.dataset, own);
        } catch (const DataError& error) {
          try {
            if (named && named(set.key)) require_boxes_of_any(set.path, set.dataset);
            inform(listener, str("maps are not judged by boxes (", set.key, "): ", error.what()));
          } catch (const DataError& of_all) {
            wrong += str(wrong.empty() ? "" : "\n", set.key, ": ", of_all.what());
          }
          return nullptr;
        }
      });
  if (!wrong.empty()) throw DataError(wrong);
  return boxes;
}

std::unique_ptr<PhotoBoxes> needed_boxes(const DataConfig& config, const LoadedData& data,
                                         std::span<const Index> images) {
  return read_each(
      config, data, images,
      [](const BoxesOfSet& set, std::span<const Index> own) -> std::unique_ptr<PhotoBoxes> {
        if (set.path.empty()) return nullptr;
        try {
          return read_photo_boxes(set.path, set.dataset, own);
        } catch (const DataError& error) {
          throw DataError(str(set.key, ": ", error.what()));
        }
      });
}

std::unique_ptr<PhotoBoxes> boxes_of_file(const std::filesystem::path& path, const LoadedData& data,
                                          std::span<const Index> images) {
  // Photos of two sets may have one name by chance. Those of all splits are looked at: the file may
  // be that of training images.
  const auto may_be_of = [&](const JoinedSet& set) {
    try {
      require_boxes_of_any(path.string(), set.dataset);
      return true;
    } catch (const DataError&) {
      return false;
    }
  };
  if (std::ranges::count_if(data.sets, may_be_of) > 1)
    throw DataError(str(path.string(),
                        ": has images of several data sets by their names, and may be of one of "
                        "them; name the boxes of each set instead, as in --data "
                        "sets.NAME.boxes=PATH"));
  std::string problem;
  auto boxes = read_each(
      {}, data, images,
      [&](const BoxesOfSet& set, std::span<const Index> own) -> std::unique_ptr<PhotoBoxes> {
        try {
          return read_photo_boxes(path, set.dataset, own);
        } catch (const DataError& error) {
          problem = error.what();
          return nullptr;
        }
      });
  if (!boxes) throw DataError(problem);
  return boxes;
}

}  // namespace saccade
