#include "captioning/scoring/files/text_file.h"

#include <algorithm>
#include <span>

#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/unicode.h"
#include "core/base/whole_file.h"

namespace saccade {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path, std::string_view what) {
  if (std::error_code error; fs::is_directory(path, error))
    throw DataError(str(path.string(), ": is a folder; it should be the ", what));
  std::optional<std::string> whole = whole_file(path);
  if (!whole) throw DataError(str(path.string(), ": no such file; it should be the ", what));
  std::string text = std::move(*whole);
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

}  // namespace saccade
