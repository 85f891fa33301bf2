// Reads COCO's captions_{train,val}*.json.
#include <unordered_map>
#include <unordered_set>

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

// Photos of the two files may have equal names or numbers, as where each file counts its own. They
// are other photos where their folders are others, and then their names begin with their split.
void tell_splits_apart(const CocoFiles& files, std::size_t val_begin, Dataset& out) {
  std::unordered_map<std::string, std::string> paths;  // of the training images
  std::unordered_set<std::int64_t> numbers;
  bool equal_names = false;
  for (std::size_t i = 0; i < out.images.size(); ++i) {
    const CaptionedImage& image = out.images[i];
    if (i < val_begin) {
      paths.emplace(image.id, image.path);
      numbers.insert(image.number);
      continue;
    }
    out.numbers_are_places = out.numbers_are_places || numbers.contains(image.number);
    const auto found = paths.find(image.id);
    if (found == paths.end()) continue;
    equal_names = true;
    if (found->second == image.path || same_file(found->second, image.path))
      throw DataError(str(files.val.string(), ": '", image.id, "' is also in ",
                          files.train.string(), ", and both are ",
                          image.path.empty() ? "without a folder" : image.path,
                          "; leave it out of one of the two files, or name the folder of the "
                          "photos of each"));
  }
  if (!equal_names) return;
  for (CaptionedImage& image : out.images) image.id = str(split_name(image.split), "/", image.id);
  out.notes.push_back(
      "photos of both files have equal names, which begin with train/ and val/ here");
}

}  // namespace

Dataset read_coco(const CocoFiles& files) {
  Dataset out;
  out.name = "coco";
  read_part(files.train, files.train_images, Split::kTrain, out);
  if (!files.val.empty() && same_file(files.train, files.val)) {
    out.notes.push_back(
        "val_annotations is the file of annotations, which is read once; its images have no "
        "splits");
  } else if (!files.val.empty()) {
    const std::size_t val_begin = out.images.size();
    read_part(files.val, files.val_images, Split::kVal, out);
    tell_splits_apart(files, val_begin, out);
  }
  finish(out, files.train.string());
  return out;
}

}  // namespace saccade
