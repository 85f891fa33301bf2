// Reads Karpathy's dataset_{coco,flickr8k,flickr30k}.json.
#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/json_file.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

std::string sentence(const JsonValue& value) {
  if (const auto raw = value.find("raw")) return raw->text();
  const JsonValue tokens = value["tokens"];
  std::vector<std::string> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) words.push_back(tokens.at(i).text());
  return join_words(words);
}

}  // namespace

Dataset read_karpathy(const KarpathyFiles& files) {
  const JsonValue root = JsonValue::parse_file(files.annotations, "Karpathy JSON");
  if (root.is_array()) refuse_list(root.place());
  Dataset out;
  const auto name = root.find("dataset");
  out.name = name ? name->text() : "karpathy";
  const JsonValue images = root["images"];
  Index restval = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const JsonValue entry = images.at(i);
    CaptionedImage image;
    const JsonValue file = entry["filename"];
    const auto folder = entry.find("filepath");
    image.id = image_name(file.text(), file.place());
    image.path =
        image_path(files.images, folder ? folder->text() + "/" + image.id : image.id, file.place());
    auto number = entry.find("cocoid");
    if (!number) number = entry.find("imgid");
    image.number = number ? image_number_of(*number) : static_cast<std::int64_t>(i);
    image.split = read_split(entry["split"].text(), entry["split"].place());
    restval += entry["split"].text() == "restval" ? 1 : 0;
    const JsonValue sentences = entry["sentences"];
    for (std::size_t k = 0; k < sentences.size(); ++k) {
      image.captions.push_back(sentence(sentences.at(k)));
    }
    out.images.push_back(std::move(image));
  }
  if (restval > 0) {
    out.notes.push_back(str("counted ", counted(restval, "restval image"), " as train"));
  }
  finish(out, files.annotations.string());
  return out;
}

}  // namespace saccade
