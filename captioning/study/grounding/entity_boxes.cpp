#include "captioning/study/grounding/entity_boxes.h"

#include <algorithm>
#include <charconv>

#include "captioning/data/reader_support.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/grounding/xml_file.h"
#include "core/base/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// What the files of an image may be called: its own name, and the number of the photo with which
// Flickr8k's names begin, which is the whole name in Flickr30k.
std::vector<std::string> names_of(const std::string& id) {
  const std::string name = fs::path(id).stem().string();
  const std::string number = name.substr(0, name.find('_'));
  const bool digits = number.find_first_not_of("0123456789") == std::string::npos;
  if (number.empty() || number == name || !digits) return {name};
  return {name, number};
}

// Names places in messages.
class XmlPlace {
 public:
  explicit XmlPlace(const fs::path& file) : file_(file.string()) {}
  std::string at(const XmlElement& element) const {
    return str(file_, ":", element.line, ": <", element.name, ">");
  }
  const XmlElement& child(const XmlElement& element, std::string_view name) const {
    if (const XmlElement* found = element.find(name)) return *found;
    throw DataError(
        str(at(element), " has no <", name, ">; it should be an annotation of Flickr30k Entities"));
  }
  Index number(const XmlElement& element, std::string_view name) const {
    const XmlElement& one = child(element, name);
    Index value = 0;
    const char* end = one.text.data() + one.text.size();
    const auto [stop, error] = std::from_chars(one.text.data(), end, value);
    if (error != std::errc() || stop != end || value < 0)
      throw DataError(str(at(one), ": expected a whole number from 0, got '", one.text, "'"));
    return value;
  }

 private:
  std::string file_;
};

}  // namespace

EntityBoxes::Sentence EntityBoxes::read_sentence(const std::string& line,
                                                 const std::string& place) {
  Sentence sentence;
  const auto add = [&](const std::string& text) {
    const std::vector<std::string> words = tokenize(text);
    sentence.words.insert(sentence.words.end(), words.begin(), words.end());
  };
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t open = std::min(line.find("[/", at), line.size());
    add(line.substr(at, open - at));
    if (open == line.size()) break;
    const std::size_t close = line.find(']', open), space = line.find(' ', open),
                      hash = line.find('#', open), slash = line.find('/', hash);
    if (close == std::string::npos || space > close || hash > space || slash > space) {
      throw DataError(
          str(place, ":", open + 1, ": expected [/EN#id/type phrase] with its bracket closed"));
    }
    const std::size_t before = sentence.words.size();
    add(line.substr(space, close - space));
    if (sentence.words.size() > before)
      sentence.nouns.push_back(
          {sentence.words.size() - 1, line.substr(hash + 1, slash - hash - 1)});
    at = close + 1;
  }
  return sentence;
}

EntityBoxes::Photo EntityBoxes::read_photo(const fs::path& annotation, const fs::path& sentences) {
  Photo photo;
  const XmlElement root = read_xml(annotation, "annotation of Flickr30k Entities");
  const XmlPlace place(annotation);
  const XmlElement& size = place.child(root, "size");
  photo.size = {.height = place.number(size, "height"), .width = place.number(size, "width")};
  if (photo.size.height == 0 || photo.size.width == 0)
    throw DataError(str(place.at(size), ": the photo's size must be positive"));
  for (const XmlElement& object : root.children) {
    const XmlElement* corners = object.find("bndbox");
    if (object.name != "object" || !corners) continue;
    // Corners are pixels, counted from 1, and the last pixel belongs to the box.
    const Index left = place.number(*corners, "xmin"), top = place.number(*corners, "ymin");
    const Index right = place.number(*corners, "xmax"), bottom = place.number(*corners, "ymax");
    if (right < left || bottom < top)
      throw DataError(str(place.at(*corners), ": xmax or ymax lies before xmin or ymin"));
    const Rect box = {static_cast<double>(left) - 1, static_cast<double>(top) - 1,
                      static_cast<double>(right - left) + 1, static_cast<double>(bottom - top) + 1};
    for (const XmlElement& id : object.children)
      if (id.name == "name") photo.boxes[id.text].push_back(box);
  }
  for (const TextLine& line : read_lines(sentences, "sentences of Flickr30k Entities"))
    photo.sentences.push_back(read_sentence(line.text, str(sentences.string(), ":", line.number)));
  return photo;
}

EntityBoxes::EntityBoxes(const fs::path& folder, const Dataset& dataset,
                         std::span<const Index> images)
    : folder_(folder.filename().empty() ? folder.parent_path().filename().string()
                                        : folder.filename().string()) {
  std::error_code error;
  for (const char* name : {"Annotations", "Sentences"})
    if (!fs::is_directory(folder / name, error)) {
      throw DataError(str(folder.string(), ": has no folder ", name,
                          "; a folder of boxes is Flickr30k Entities, unpacked"));
    }
  for (const Index image : images) {
    for (const std::string& name : names_of(dataset.images[static_cast<std::size_t>(image)].id)) {
      const fs::path annotation = folder / "Annotations" / (name + ".xml");
      const fs::path sentences = folder / "Sentences" / (name + ".txt");
      if (!fs::exists(annotation, error) && !fs::exists(sentences, error)) continue;
      photos_.emplace(image, read_photo(annotation, sentences));
      break;
    }
  }
}

std::string EntityBoxes::description() const {
  return str(folder_, ", last words of the phrases that have a box");
}

std::vector<NounBoxes> EntityBoxes::nouns(Index image, std::span<const std::string> words,
                                          const ImageSize& size) const {
  std::vector<NounBoxes> out;
  const auto found = photos_.find(image);
  if (found == photos_.end()) return out;
  const Photo& photo = found->second;
  const auto add = [&](std::size_t word, std::span<const Rect> boxes) {
    if (!boxes.empty()) out.push_back({word, scaled_boxes(boxes, photo.size, size)});
  };
  const auto boxes_of = [&](const std::string& id) {
    const auto boxes = photo.boxes.find(id);
    return boxes == photo.boxes.end() ? std::span<const Rect>{}
                                      : std::span<const Rect>(boxes->second);
  };
  for (const Sentence& sentence : photo.sentences) {
    if (!std::equal(words.begin(), words.end(), sentence.words.begin(), sentence.words.end()))
      continue;
    for (const Noun& noun : sentence.nouns) add(noun.word, boxes_of(noun.id));
    return out;
  }
  for (std::size_t w = 0; w < words.size(); ++w) {
    const auto matching = [&](auto matches) {
      std::vector<std::string> ids;
      std::vector<Rect> boxes;
      for (const Sentence& sentence : photo.sentences)
        for (const Noun& noun : sentence.nouns) {
          if (std::find(ids.begin(), ids.end(), noun.id) != ids.end()) continue;
          if (!matches(words[w], sentence.words[noun.word])) continue;
          ids.push_back(noun.id);
          const std::span<const Rect> own = boxes_of(noun.id);
          boxes.insert(boxes.end(), own.begin(), own.end());
        }
      return boxes;
    };
    std::vector<Rect> boxes = matching(
        [&](const auto& word, const auto& name) { return forms_.form(word) == forms_.form(name); });
    if (boxes.empty())
      boxes =
          matching([&](const auto& word, const auto& name) { return forms_.synonym(word, name); });
    add(w, boxes);
  }
  return out;
}

}  // namespace saccade
