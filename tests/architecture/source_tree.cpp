// Reads the project's text files and strips comments.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/architecture/architecture.h"

namespace saccade::architecture {
namespace {

namespace fs = std::filesystem;

bool is_source(const std::string& path) { return path.ends_with(".h") || path.ends_with(".cpp"); }

bool is_text(const fs::path& path) {
  static const std::vector<std::string> kSuffixes = {".h",   ".cpp",  ".js",    ".css",
                                                     ".txt", ".md",   ".yaml",  ".yml",
                                                     ".sh",  ".json", ".cmake", ".html"};
  return std::find(kSuffixes.begin(), kSuffixes.end(), path.extension().string()) !=
         kSuffixes.end();
}

// The text with comments replaced by blanks. Line breaks and literals stay where they are.
std::string strip_comments(const std::string& text) {
  std::string out = text;
  std::size_t i = 0;
  const auto blank_until = [&](std::size_t end) {
    for (; i < end; ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  while (i < text.size()) {
    if (text.compare(i, 2, "//") == 0) {
      blank_until(std::min(text.find('\n', i), text.size()));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      blank_until(end == std::string::npos ? text.size() : end + 2);
    } else if (text.compare(i, 2, "R\"") == 0) {
      const std::size_t open = text.find('(', i);
      if (open == std::string::npos) break;
      const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
      const std::size_t end = text.find(close, open);
      i = end == std::string::npos ? text.size() : end + close.size();
    } else if (text[i] == '"' ||
               (text[i] == '\'' &&
                (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
      const char quote = text[i++];  // a ' after a digit separates thousands
      while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
      ++i;
    } else {
      ++i;
    }
  }
  return out;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<SourceFile> read_tree(const fs::path& root) {
  std::vector<SourceFile> files;
  const auto add = [&](const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    SourceFile file;
    file.path = fs::relative(path, root).generic_string();
    const auto slash = file.path.find('/');
    file.top = slash == std::string::npos ? "" : file.path.substr(0, slash);
    file.folder = fs::path(file.path).parent_path().generic_string();
    file.lines = split_lines(text);
    file.code = is_source(file.path) ? split_lines(strip_comments(text)) : file.lines;
    files.push_back(std::move(file));
  };
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file() && is_text(entry.path())) add(entry.path());
  }
  for (const char* top : {"core", "vision", "captioning", "experiments", "configs", "tests"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.is_regular_file() && is_text(entry.path())) add(entry.path());
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace saccade::architecture
