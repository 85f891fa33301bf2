// Reads COCO's captions_{train,val}*.json.
#include <unordered_map>

#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/json_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

void read_part(const std::filesystem::path& file, const std::filesystem::path& folder, Split split,
               Dataset& out) {
  const JsonValue root = JsonValue::parse_file(file, "COCO captions JSON");
  if (root.is_array()) refuse_list(root.place());
  std::unordered_map<std::int64_t, std::size_t> by_number;
  const JsonValue images = root["images"];
  for (std::size_t i = 0; i < images.size(); ++i) {
    const JsonValue entry = images.at(i);
    CaptionedImage image;
    image.number = image_number_of(entry["id"]);
    image.id = image_name(entry["file_name"].text(), entry["file_name"].place());
    image.path = image_path(folder, image.id, entry["file_name"].place());
    image.split = split;
    if (!by_number.emplace(image.number, out.images.size()).second) {
      throw DataError(str(entry.place(), ": image id ", image.number, " is there twice"));
    }
    out.images.push_back(std::move(image));
  }
  std::vector<std::string> orphans;
  const JsonValue annotations = root["annotations"];
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const JsonValue entry = annotations.at(i);
    const std::int64_t number = image_number_of(entry["image_id"]);
    const auto found = by_number.find(number);
    if (found == by_number.end()) {  // what remains where a list of images was made shorter
      orphans.push_back(str(entry.place().substr(file.string().size() + 2), " of image ", number));
      continue;
    }
    if (!entry.find("caption")) {
      throw DataError(
          str(entry.place(),
              ": 'caption' is missing; is this the instances file? use captions_*.json"));
    }
    out.images[found->second].captions.push_back(entry["caption"].text());
  }
  if (!orphans.empty())
    out.notes.push_back(str("left out ", counted(static_cast<Index>(orphans.size()), "caption"),
                            " of images that ", file.filename().string(),
                            " does not list: ", first_names(orphans)));
}

// Whether both paths lead to one file.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

Dataset read_coco(const CocoFiles& files) {
  Dataset out;
  out.name = "coco";
  read_part(files.train, files.train_images, Split::kTrain, out);
  if (!files.val.empty() && same_file(files.train, files.val))
    out.notes.push_back(
        "data.val_annotations is the file of data.annotations, which is read once; its images have "
        "no splits");
  else if (!files.val.empty())
    read_part(files.val, files.val_images, Split::kVal, out);
  finish(out, files.train.string());
  return out;
}

}  // namespace saccade
