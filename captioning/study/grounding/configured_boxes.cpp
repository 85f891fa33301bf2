#include "captioning/study/grounding/configured_boxes.h"

#include <filesystem>
#include <functional>

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

// Reads the boxes of images of one data set; may return null.
using ReadBoxes = std::function<std::unique_ptr<PhotoBoxes>(const DataConfig&, const Dataset&,
                                                            std::span<const Index>)>;

// Reads those of the data set, or of each that was joined; null where no set has boxes.
std::unique_ptr<PhotoBoxes> read_each(const DataConfig& config, const LoadedData& data,
                                      std::span<const Index> images, const ReadBoxes& read) {
  if (data.sets.empty()) return read(config, data.dataset, images);
  std::vector<JoinedBoxes::Part> parts;
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    const DatasetPart& part = data.dataset.parts[s];
    std::vector<Index> own;
    for (const Index image : images)
      if (image >= part.begin && image < part.end) own.push_back(image - part.begin);
    if (own.empty()) continue;
    if (auto boxes = read(data.sets[s].config, data.sets[s].dataset, own))
      parts.push_back({.images = part, .boxes = std::move(boxes)});
  }
  if (parts.empty()) return nullptr;
  return std::make_unique<JoinedBoxes>(std::move(parts));
}

void require(const DataConfig& config, const std::string& key) {
  std::error_code error;
  if (config.is_drawn() || config.boxes.empty() || std::filesystem::exists(config.boxes, error))
    return;
  throw DataError(str(key, ": ", config.boxes,
                      ": no such file or folder; name a COCO instances JSON or a folder of "
                      "Flickr30k Entities, or leave ",
                      key, " empty"));
}

}  // namespace

std::unique_ptr<PhotoBoxes> configured_boxes(const DataConfig& config, const LoadedData& data,
                                             std::span<const Index> images,
                                             const MessageListener& listener) {
  if (config.is_drawn() || images.empty()) return nullptr;
  return read_each(config, data, images,
                   [&](const DataConfig& one, const Dataset& dataset,
                       std::span<const Index> own) -> std::unique_ptr<PhotoBoxes> {
                     if (one.boxes.empty()) return nullptr;
                     try {
                       return read_photo_boxes(one.boxes, dataset, own);
                     } catch (const DataError& error) {
                       inform(listener,
                              str("maps are not judged by boxes (data.boxes): ", error.what()));
                       return nullptr;
                     }
                   });
}

std::unique_ptr<PhotoBoxes> needed_boxes(const DataConfig& config, const LoadedData& data,
                                         std::span<const Index> images) {
  return read_each(config, data, images,
                   [](const DataConfig& one, const Dataset& dataset,
                      std::span<const Index> own) -> std::unique_ptr<PhotoBoxes> {
                     if (one.boxes.empty()) return nullptr;
                     return read_photo_boxes(one.boxes, dataset, own);
                   });
}

std::unique_ptr<PhotoBoxes> boxes_of_file(const std::filesystem::path& path, const LoadedData& data,
                                          std::span<const Index> images) {
  std::string problem;
  int known = 0;  // sets
  auto boxes = read_each({}, data, images,
                         [&](const DataConfig&, const Dataset& dataset,
                             std::span<const Index> own) -> std::unique_ptr<PhotoBoxes> {
                           try {
                             auto found = read_photo_boxes(path, dataset, own);
                             ++known;
                             return found;
                           } catch (const DataError& error) {
                             problem = error.what();
                             return nullptr;
                           }
                         });
  if (!boxes) throw DataError(problem);
  if (known > 1)
    throw DataError(str(path.string(),
                        ": has images of several data sets by their names, and may be of one of "
                        "them; name the boxes of each set instead, as in --data "
                        "sets.NAME.boxes=PATH"));
  return boxes;
}

void require_configured_boxes(const DataConfig& config) {
  if (config.type != DataKind::kJoined) return require(config, "data.boxes");
  for (const NamedDataConfig& set : joined_sets(config))
    require(set.config, str("data.sets.", set.name, ".boxes"));
}

}  // namespace saccade
