// Files as text: read whole, with a message that says what is wrong with one that is none.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

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

// The caption, trimmed, with a single space for control characters and line ends.
std::string clean_caption(std::string_view text);

}  // namespace saccade
