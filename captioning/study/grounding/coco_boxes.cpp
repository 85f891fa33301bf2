#include "captioning/study/grounding/coco_boxes.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "captioning/data/reader_support.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/json_file.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// "val2014/COCO_val2014_000000391895.jpg" -> "000000391895.jpg"
std::string bare_name(const std::string& name) {
  const std::string file = std::filesystem::path(name).filename().string();
  return file.starts_with("COCO_") ? file.substr(file.rfind('_') + 1) : file;
}

struct Categories {
  std::vector<std::string> names;
  std::unordered_map<std::int64_t, std::size_t> by_id;
};

Categories read_categories(const JsonValue& root) {
  if (!root.find("categories")) {
    throw DataError(str(root.place(),
                        ": 'categories' is missing; is this the captions file? use "
                        "instances_*.json"));
  }
  Categories out;
  const JsonValue categories = root["categories"];
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const JsonValue entry = categories.at(i);
    if (!out.by_id.emplace(entry["id"].integer(), out.names.size()).second) {
      throw DataError(
          str(entry.place(), ": category id ", entry["id"].integer(), " is there twice"));
    }
    out.names.push_back(entry["name"].text());
  }
  return out;
}

// Finds the wanted images of a data set by name or number.
class Wanted {
 public:
  Wanted(const Dataset& dataset, std::span<const Index> images)
      : wanted_(images.begin(), images.end()) {
    const bool by_number = dataset.name.starts_with("coco") && !dataset.numbers_are_places;
    for (Index image = 0; image < std::ssize(dataset.images); ++image) {
      const CaptionedImage& one = dataset.images[static_cast<std::size_t>(image)];
      ids_.emplace(one.id, image);
      const auto [found, fresh] = names_.emplace(bare_name(one.id), image);
      if (!fresh) found->second = kNone;  // of photos in several folders, only the id tells which
      if (by_number) numbers_.emplace(one.number, image);
    }
  }
  // The wanted image of this name or number, or kNone.
  Index find(const std::string& name, std::int64_t number) const {
    Index image = kNone;
    if (const auto id = ids_.find(name); id != ids_.end())
      image = id->second;
    else if (const auto bare = names_.find(bare_name(name)); bare != names_.end())
      image = bare->second;
    else if (const auto known = numbers_.find(number); known != numbers_.end())
      image = known->second;
    return wanted_.contains(image) ? image : kNone;
  }
  static constexpr Index kNone = -1;

 private:
  std::unordered_set<Index> wanted_;
  std::unordered_map<std::string, Index> ids_, names_;
  std::unordered_map<std::int64_t, Index> numbers_;
};

Index positive(const JsonValue& value) {
  const std::int64_t number = value.integer();
  if (number <= 0) throw DataError(str(value.place(), ": must be positive; got ", number));
  return number;
}

Rect box_of(const JsonValue& value) {
  if (value.size() != 4) {
    throw DataError(
        str(value.place(), ": a box is [x, y, width, height]; got ", value.size(), " numbers"));
  }
  const Rect box = {value.at(0).number(), value.at(1).number(), value.at(2).number(),
                    value.at(3).number()};
  const double all = box.x + box.y + box.width + box.height;
  if (!std::isfinite(all) || box.width < 0 || box.height < 0) {
    throw DataError(str(value.place(), ": a box is [x, y, width, height], neither size negative; ",
                        "got ", box.x, ", ", box.y, ", ", box.width, ", ", box.height));
  }
  return box;
}

const JsonValue& checked(const JsonValue& root) {
  for (const char* key : {"images", "annotations"})
    if (!root.find(key)) {
      throw DataError(
          str(root.place(), ": '", key, "' is missing; boxes are read from a COCO instances JSON"));
    }
  return root;
}

}  // namespace

CocoBoxes::CocoBoxes(const std::filesystem::path& file, const Dataset& dataset,
                     std::span<const Index> images)
    : file_(file.filename().string()) {
  const JsonValue root = JsonValue::parse_file(file, "COCO instances JSON");
  const Categories categories = read_categories(checked(root));
  names_.emplace(categories.names);
  const Wanted wanted(dataset, images);
  std::unordered_map<std::int64_t, Index> by_number;  // kNone: an image that is not wanted
  const JsonValue entries = root["images"];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonValue entry = entries.at(i);
    const std::int64_t number = image_number_of(entry["id"]);
    const Index image = wanted.find(entry["file_name"].text(), number);
    if (!by_number.emplace(number, image).second) {
      throw DataError(str(entry.place(), ": image id ", number, " is there twice"));
    }
    if (image >= 0)
      photos_[image].size = {.height = positive(entry["height"]),
                             .width = positive(entry["width"])};
  }
  const JsonValue annotations = root["annotations"];
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const JsonValue entry = annotations.at(i);
    const auto image = by_number.find(image_number_of(entry["image_id"]));
    if (image == by_number.end()) {
      throw DataError(str(entry.place(), ": image_id ", image_number_of(entry["image_id"]),
                          " is not an image of this file"));
    }
    if (image->second < 0) continue;
    if (!entry.find("bbox")) {
      throw DataError(str(entry.place(),
                          ": 'bbox' is missing; is this the captions file? use instances_*.json"));
    }
    const auto category = categories.by_id.find(entry["category_id"].integer());
    if (category == categories.by_id.end()) {
      throw DataError(str(entry.place(), ": category_id ", entry["category_id"].integer(),
                          " is not a category of this file"));
    }
    photos_[image->second].boxes.emplace_back(category->second, box_of(entry["bbox"]));
  }
  refuse_other_forms(file.string());
}

void CocoBoxes::refuse_other_forms(const std::string& file) const {
  constexpr double kMargin = 2;         // pixels by which a careless box may leave its picture
  constexpr Index kFewest = 10;         // boxes that say something of all
  constexpr double kMostOutside = 0.1;  // share of the boxes
  Index all = 0, outside = 0, tiny = 0;
  for (const auto& [image, photo] : photos_)
    for (const auto& [category, box] : photo.boxes) {
      ++all;
      outside += box.x + box.width > static_cast<double>(photo.size.width) + kMargin ||
                         box.y + box.height > static_cast<double>(photo.size.height) + kMargin
                     ? 1
                     : 0;
      tiny += std::max(box.x + box.width, box.y + box.height) <= 1 ? 1 : 0;
    }
  const char* form = "; a box is [x, y, width, height] in pixels of its picture";
  if (all >= kFewest && tiny == all)
    throw DataError(str(file, ": all ", all, " boxes end within the first pixel", form,
                        ", and not in shares of it"));
  if (all >= kFewest && static_cast<double>(outside) > kMostOutside * static_cast<double>(all))
    throw DataError(str(file, ": ", outside, " of ", all, " boxes reach out of their pictures",
                        form, ", and not [left, top, right, bottom]"));
}

std::string CocoBoxes::description() const { return str(file_, ", words that name a category"); }

std::vector<NounBoxes> CocoBoxes::nouns(Index image, std::span<const std::string> words,
                                        const ImageSize& size) const {
  std::vector<NounBoxes> out;
  const auto found = photos_.find(image);
  if (found == photos_.end()) return out;
  for (const CategoryWords::Mention& mention : names_->mentions(words)) {
    NounBoxes noun{.word = mention.word, .boxes = {}};
    for (const auto& [category, box] : found->second.boxes)
      if (std::find(mention.categories.begin(), mention.categories.end(), category) !=
          mention.categories.end())
        noun.boxes.push_back(box);
    noun.boxes = scaled_boxes(noun.boxes, found->second.size, size);
    out.push_back(std::move(noun));
  }
  return out;
}

}  // namespace saccade
