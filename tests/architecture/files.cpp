// Rules for single files: size, comment on top, words, and whether CMake builds them.
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <regex>
#include <set>

#include "tests/architecture/architecture.h"

namespace saccade::architecture {
namespace {

constexpr int kMostCommentLines = 6;

std::string at(const SourceFile& file, std::size_t index) {
  return file.path + ":" + std::to_string(index + 1) + ": ";
}

bool is_cpp(const SourceFile& file) { return file.path.ends_with(".cpp"); }

// Whether `path` fits a pattern with at most one '*', which stands for part of a file's name.
bool fits(const std::string& path, const std::string& pattern) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return path == pattern;
  const std::string before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return path.size() >= before.size() + after.size() && path.starts_with(before) &&
         path.ends_with(after) && path.find('/', star) == std::string::npos;
}

std::string parent(const std::string& folder) {
  const auto slash = folder.rfind('/');
  return slash == std::string::npos ? "" : folder.substr(0, slash);
}

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether `line` holds `word`, and not only as a part of a longer name.
bool has_word(const std::string& line, const std::string& word) {
  for (auto at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_name_letter(line[at - 1]);
    if (starts && (end == line.size() || !is_name_letter(line[end]))) return true;
  }
  return false;
}

bool has_any_word(const std::string& line, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return has_word(line, word); });
}

// The names of .cpp files in a line of CMake. Mechanism folders use patterns.
std::vector<std::string> cpp_names(const std::string& line) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : line + " ") {
    if (is_name_letter(c) || c == '.' || c == '/' || c == '-' || c == '*') {
      name += c;
    } else {
      if (name.ends_with(".cpp")) names.push_back(name);
      name.clear();
    }
  }
  return names;
}

// True for a thread_local whose type may have a destructor: all but pointers, bool and int.
bool has_thread_local_object(const std::string& code) {
  static const std::regex declared(
      "\\bthread_local\\s+(?:const\\s+)?(bool\\b|int\\b|[^(={;]*\\*)?");
  std::smatch match;
  return std::regex_search(code, match, declared) && !match[1].matched;
}

}  // namespace

Findings check_sizes(const std::vector<SourceFile>& files, int most_lines) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!file.header() && !is_cpp(file) && !file.path.ends_with(".js")) continue;
    const int count = static_cast<int>(file.lines.size());
    if (count > most_lines) {
      findings.push_back(file.path + ": " + std::to_string(count) + " lines, more than " +
                         std::to_string(most_lines) + "; a file holds one idea");
    }
  }
  return findings;
}

Findings check_headers(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!file.header()) continue;
    std::size_t comment = 0;
    while (comment < file.lines.size() && file.lines[comment].starts_with("//")) ++comment;
    if (comment == 0 || comment > kMostCommentLines) {
      findings.push_back(at(file, 0) + "a header starts with a comment of one to six lines: what " +
                         "the file is");
    }
    bool pragma = false;
    for (std::size_t i = 0; i < file.code.size(); ++i) {
      pragma = pragma || file.code[i].starts_with("#pragma once");
      if (has_word(file.code[i], "using namespace")) {
        findings.push_back(at(file, i) + "`using namespace` in a header reaches everybody; name " +
                           "what is used");
      }
    }
    if (!pragma) findings.push_back(at(file, 0) + "`#pragma once` is missing");
  }
  return findings;
}

Findings check_words(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    const bool reads_environment =
        file.path == "experiments/environment.cpp" || file.top == "tests";
    const bool parses_json = file.path == "core/base/shallow_json.h" ||
                             file.path == "core/io/tensor_files.cpp" || file.top == "tests";
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      // The words are written in pieces, so that this file does not find itself.
      if (line.find("/wor"
                    "k/") != std::string::npos ||
          has_any_word(line, {"sub"
                              "agent",
                              "this ses"
                              "sion",
                              "the ses"
                              "sion"})) {
        findings.push_back(at(file, i) + "words of one workplace do not belong in the project");
      }
      if (has_any_word(line, {"TO"
                              "DO",
                              "FIX"
                              "ME",
                              "XX"
                              "X",
                              "HA"
                              "CK"})) {
        findings.push_back(at(file, i) + "a note for later; finish it or open an issue");
      }
      if (!reads_environment && (file.header() || is_cpp(file)) &&
          has_any_word(file.code[i], {"getenv", "secure_getenv"})) {
        findings.push_back(at(file, i) +
                           "the environment is read in experiments/environment.cpp only");
      }
      if (file.top != "tests" && (file.header() || is_cpp(file)) &&
          has_thread_local_object(file.code[i])) {
        findings.push_back(
            at(file, i) +
            "a thread_local with a destructor ends the program where memory is short; " +
            "use parallel::PerThread");
      }
      if (!parses_json && (file.header() || is_cpp(file)) &&
          (file.code[i].find("Json::parse(") != std::string::npos ||
           file.code[i].find("json::parse(") != std::string::npos))
        findings.push_back(at(file, i) + "deep JSON cannot be copied or walked; use shallow_json");
    }
  }
  return findings;
}

Findings check_cmake(const std::vector<SourceFile>& files) {
  std::map<std::string, std::set<std::string>> listed;  // by the folder of the CMakeLists.txt
  for (const SourceFile& file : files) {
    if (!file.path.ends_with("CMakeLists.txt")) continue;
    std::set<std::string>& names = listed[file.folder];
    for (const std::string& line : file.lines) {
      for (std::string& name : cpp_names(line.substr(0, line.find('#')))) {
        names.insert(std::move(name));
      }
    }
  }
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file)) continue;
    std::string folder = file.folder;
    while (!folder.empty() && listed.count(folder) == 0) folder = parent(folder);
    const std::string name = folder.empty() ? file.path : file.path.substr(folder.size() + 1);
    const std::set<std::string>& patterns = listed[folder];
    if (std::none_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return fits(name, pattern); })) {
      findings.push_back(at(file, 0) + "not built: add " + name + " to " + folder +
                         "/CMakeLists.txt or remove it");
    }
  }
  return findings;
}

}  // namespace saccade::architecture
