// Reads COCO's captions_{train,val}*.json.
#include <unordered_map>

#include "captioning/data/json_file.h"
#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "core/base/error.h"

namespace saccade {

namespace {

void read_part(const std::filesystem::path& file, const std::filesystem::path& folder, Split split,
               Dataset& out) {
  const JsonValue root = JsonValue::parse_file(file, "COCO captions JSON");
  std::unordered_map<std::int64_t, std::size_t> by_number;
  const JsonValue images = root["images"];
  for (std::size_t i = 0; i < images.size(); ++i) {
    const JsonValue entry = images.at(i);
    CaptionedImage image;
    image.number = entry["id"].integer();
    image.id = image_name(entry["file_name"].text(), entry["file_name"].place());
    image.path = image_path(folder, image.id, entry["file_name"].place());
    image.split = split;
    if (!by_number.emplace(image.number, out.images.size()).second) {
      throw DataError(str(entry.place(), ": image id ", image.number, " is there twice"));
    }
    out.images.push_back(std::move(image));
  }
  const JsonValue annotations = root["annotations"];
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const JsonValue entry = annotations.at(i);
    const std::int64_t number = entry["image_id"].integer();
    const auto found = by_number.find(number);
    if (found == by_number.end()) {
      throw DataError(str(entry.place(), ": image_id ", number, " is not an image of this file"));
    }
    if (!entry.find("caption")) {
      throw DataError(
          str(entry.place(),
              ": 'caption' is missing; is this the instances file? use captions_*.json"));
    }
    out.images[found->second].captions.push_back(entry["caption"].text());
  }
}

}  // namespace

Dataset read_coco(const CocoFiles& files) {
  Dataset out;
  out.name = "coco";
  read_part(files.train, files.train_images, Split::kTrain, out);
  if (!files.val.empty()) read_part(files.val, files.val_images, Split::kVal, out);
  finish(out, files.train.string());
  return out;
}

}  // namespace saccade
