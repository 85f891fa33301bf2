#include "captioning/data/reader_support.h"

#include <algorithm>
#include <unordered_set>

#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/scoring/words/unspaced.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace fs = std::filesystem;

std::string image_name(const std::string& written, const std::string& place) {
  std::string name = written;
  std::replace(name.begin(), name.end(), '\\', '/');
  const fs::path relative(name);
  const bool leaves = std::any_of(relative.begin(), relative.end(),
                                  [](const fs::path& part) { return part == ".."; });
  const bool odd = name.find('\0') != std::string::npos || name.find('\n') != std::string::npos;
  if (name.empty() || relative.is_absolute() || leaves || odd || !relative.has_filename()) {
    throw DataError(
        str(place, ": '", clean_caption(name),
            "' is not a file below the image folder; names must be relative, without '..'"));
  }
  return relative.lexically_normal().generic_string();
}

std::string image_path(const fs::path& root, const std::string& name, const std::string& place) {
  const std::string plain = image_name(name, place);
  return root.empty() ? "" : (root / plain).lexically_normal().string();
}

namespace {

// Longer than a sentence without spaces, as Chinese captions may have it.
constexpr std::size_t kLongestWord = 2000;

// Whether a caption has a word that is no word, such as encoded data.
bool has_endless_word(const std::string& caption) {
  if (caption.size() <= kLongestWord) return false;
  const std::vector<std::string> words = tokenize(caption);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.size() > kLongestWord; });
}

}  // namespace

Split read_split(const std::string& word, const std::string& place) {
  if (const auto split = find_split(clean_caption(word))) return *split;
  throw DataError(str(place, ": unknown split '", clean_caption(word),
                      "'; expected train, val or test (or training, validation, dev, ...)"));
}

void refuse_list(const std::string& place) {
  throw DataError(place + ": is a list, and an object with 'images' was expected");
}

std::string notes_of(const Dataset& dataset) {
  std::string notes;
  for (const std::string& note : dataset.notes) notes += "; " + note;
  return notes;
}

void finish(Dataset& dataset, const std::string& source) {
  Index empty_captions = 0;
  std::vector<std::string> wordless, endless, bare;  // names of images
  UnspacedCaptions unspaced;
  PlainCaptions plain;
  for (CaptionedImage& image : dataset.images) {
    for (std::string& caption : image.captions) caption = clean_caption(plain.add(caption));
    if (std::erase_if(image.captions, has_endless_word) > 0) endless.push_back(image.id);
    const auto erased = static_cast<Index>(std::erase_if(
        image.captions, [](const std::string& caption) { return tokenize(caption).empty(); }));
    empty_captions += erased;
    if (erased > 0) wordless.push_back(image.id);
    if (image.captions.empty()) bare.push_back(image.id);
  }
  std::erase_if(dataset.images, [](const CaptionedImage& image) { return image.captions.empty(); });
  if (const std::string note = plain.note(); !note.empty()) dataset.notes.push_back(note);
  if (empty_captions > 0)
    dataset.notes.push_back(str("dropped ", counted(empty_captions, "caption"),
                                " without a word: of ", first_names(wordless)));
  if (!endless.empty())
    dataset.notes.push_back(str("dropped captions with a word of more than ", kLongestWord,
                                " bytes, which no language has: of ", first_names(endless)));
  if (!bare.empty())
    dataset.notes.push_back(str("dropped ", counted(static_cast<Index>(bare.size()), "image"),
                                " without a caption: ", first_names(bare)));
  if (dataset.images.empty()) {
    throw DataError(str(source, ": no image with a caption in it",
                        empty_captions == 0
                            ? ""
                            : str("; of ", counted(empty_captions, "caption"),
                                  ", none has a letter or a digit; are they in another column or "
                                  "key?"),
                        notes_of(dataset)));
  }
  for (const CaptionedImage& image : dataset.images)
    for (const std::string& caption : image.captions) unspaced.add(caption);
  if (const std::string text = unspaced.warning(); !text.empty()) dataset.notes.push_back(text);
  std::unordered_set<std::string> ids;
  std::unordered_set<std::int64_t> numbers;
  for (const CaptionedImage& image : dataset.images) {
    if (!ids.insert(image.id).second) {
      throw DataError(str(source, ": image '", image.id, "' is there twice"));
    }
    if (!numbers.insert(image.number).second && !dataset.numbers_are_places) {
      throw DataError(str(source, ": image id ", image.number, " is there twice"));
    }
  }
  dataset.digest = dataset_digest(dataset);
}

}  // namespace saccade
