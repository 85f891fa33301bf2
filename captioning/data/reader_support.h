// What all readers share: files as text, safe paths, clean captions, and the last checks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/data/dataset.h"
#include "captioning/data/image_id.h"

namespace saccade {

class JsonValue;

// The bytes of a file. Throws DataError when it is missing or no file, and IoError when it cannot
// be read; `what` names its role in the message ("captions file").
std::string read_text(const std::filesystem::path& path, std::string_view what);
// Throws DataError where a text is a web page, an archive, a Git LFS pointer or the like.
void refuse_foreign_text(std::string_view text, const std::filesystem::path& path,
                         std::string_view what);
// The same of a file of captions: also throws DataError, with what it is, for a file of another
// kind, such as a web page, an archive or a Git LFS pointer, whose text is no caption. A first line
// "sep=;", which is for Excel, is blank in it.
std::string read_captions_text(const std::filesystem::path& path, std::string_view what);

struct TextLine {
  std::size_t number = 0;  // from 1
  std::string text;        // without the line end
};
// The lines of a UTF-8 text. Throws DataError that names path and line of a byte that is not UTF-8.
std::vector<TextLine> lines_of(std::string_view text, const std::filesystem::path& path);
// The lines of a file that are not empty.
std::vector<TextLine> read_lines(const std::filesystem::path& path, std::string_view what);

// The image that a value names: by its number, also where that is a text, or by its name.
ImageId image_id_of(const JsonValue& value);
// Its number. Throws DataError where there is a name.
std::int64_t image_number_of(const JsonValue& value);

// The one name of an image: "a/b.jpg" for "./a/b.jpg" and "a//b.jpg". Throws DataError, whose
// message begins with `place`, when it is empty, absolute, or leads out of the image folder.
std::string image_name(const std::string& name, const std::string& place);

// root / name. Throws as image_name() does.
std::string image_path(const std::filesystem::path& root, const std::string& name,
                       const std::string& place);

// The caption, trimmed, with a single space for control characters and line ends.
std::string clean_caption(std::string_view text);

// The split that a word means (find_split). Throws DataError, whose message begins with `place`,
// for any other.
Split read_split(const std::string& word, const std::string& place);

// Says that a file is a list, where an object was expected, and what reads lists.
[[noreturn]] void refuse_list(const std::string& place);

// The data set's notes for the end of a message, "; " before each one.
std::string notes_of(const Dataset& dataset);

// Makes captions plain (plain_caption.h) and clean, drops captions without words or with endless
// ones and images without captions (and notes it), checks that ids and numbers are unique and that
// something is left, and fills in the digest. Throws DataError if a check fails; `source` names the
// file in the message, which ends with the notes where nothing is left.
void finish(Dataset& dataset, const std::string& source);

}  // namespace saccade
