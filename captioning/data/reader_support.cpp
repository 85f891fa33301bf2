#include "captioning/data/reader_support.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <unordered_set>

#include "captioning/data/json_file.h"
#include "captioning/text/plain_caption.h"
#include "captioning/text/tokenizer.h"
#include "captioning/text/unspaced.h"
#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/listing.h"
#include "core/base/unicode.h"

namespace saccade {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path, std::string_view what) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw DataError(str(path.string(), ": no such file; it should be the ", what));
  }
  if (fs::is_directory(path, error)) {
    throw DataError(str(path.string(), ": is a folder; it should be the ", what));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(str(path.string(), ": cannot be opened; check its permissions"));
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw IoError(str(path.string(), ": cannot be read to its end"));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

void refuse_foreign_text(std::string_view text, const fs::path& path, std::string_view what) {
  const auto head = std::as_bytes(std::span(text)).first(std::min(text.size(), kForeignHead));
  const std::string kind = foreign_file(head, path.string(), WantedFile::kText);
  if (!kind.empty()) throw DataError(str(path.string(), ": ", kind, "; it should be the ", what));
}

std::string read_captions_text(const fs::path& path, std::string_view what) {
  std::string text = read_text(path, what);
  if (text.empty()) return text;
  refuse_foreign_text(text, path, what);
  // Excel's first line, which is no part of the table, becomes blank.
  if (text.starts_with("sep=") && (text.size() < 6 || text[5] == '\n' || text[5] == '\r'))
    text.erase(0, 5);
  return text;
}

std::vector<TextLine> lines_of(std::string_view text, const fs::path& path) {
  std::vector<TextLine> out;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (unicode::invalid_utf8(line) != std::string_view::npos) {
      throw DataError(str(path.string(), ":", number, ": not valid UTF-8 at column ",
                          unicode::invalid_utf8(line) + 1, "; convert the file to UTF-8"));
    }
    out.push_back({number, std::move(line)});
  }
  return out;
}

std::vector<TextLine> read_lines(const fs::path& path, std::string_view what) {
  std::vector<TextLine> out = lines_of(read_text(path, what), path);
  std::erase_if(out, [](const TextLine& line) { return line.text.empty(); });
  return out;
}

ImageId image_id_of(const JsonValue& value) {
  if (value.is_text()) return image_id(value.text());
  if (value.is_number()) return {.name = "", .number = value.integer()};
  throw DataError(value.place() +
                  ": expected an image's name or number, such as \"a.jpg\" or 42; got " +
                  value.type());
}

std::int64_t image_number_of(const JsonValue& value) {
  const ImageId id = image_id_of(value);
  if (!id.number)
    throw DataError(str(value.place(), ": expected a whole number; got '", id.name, "'"));
  return *id.number;
}

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
  return (root / image_name(name, place)).lexically_normal().string();
}

std::string clean_caption(std::string_view text) {
  std::string out;
  bool gap = false;
  for (const unicode::CodePoint point : unicode::decode(text)) {
    if (unicode::is_control(point) || point == ' ') {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += ' ';
    gap = false;
    unicode::append(out, point);
  }
  return out;
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
  throw DataError(place +
                  ": is a list, and an object with 'images' was expected; data.type=folder reads "
                  "lists of images with captions");
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
    if (!numbers.insert(image.number).second) {
      throw DataError(str(source, ": image id ", image.number, " is there twice"));
    }
  }
  dataset.digest = dataset_digest(dataset);
}

}  // namespace saccade
