// Rules about single files: size, comment on top, words, and whether CMake builds them.
#include <algorithm>
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

std::string parent(const std::string& folder) {
  const auto slash = folder.rfind('/');
  return slash == std::string::npos ? "" : folder.substr(0, slash);
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
  static const std::regex using_namespace(R"(^\s*using\s+namespace\b)");
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
      if (std::regex_search(file.code[i], using_namespace)) {
        findings.push_back(at(file, i) + "`using namespace` in a header reaches everybody; name " +
                           "what is used");
      }
    }
    if (!pragma) findings.push_back(at(file, 0) + "`#pragma once` is missing");
  }
  return findings;
}

Findings check_words(const std::vector<SourceFile>& files) {
  // Written in pieces, so that this file does not find itself.
  static const std::regex foreign(
      "/wor"
      "k/|\\bsub"
      "agent|\\b(this|the) ses"
      "sion\\b");
  static const std::regex later(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  static const std::regex environment(R"(\b(secure_)?getenv\b)");
  Findings findings;
  for (const SourceFile& file : files) {
    const bool reads_environment = file.path == "experiments/main.cpp" || file.top == "tests";
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (std::regex_search(line, foreign)) {
        findings.push_back(at(file, i) + "words of one workplace do not belong in the project");
      }
      if (std::regex_search(line, later)) {
        findings.push_back(at(file, i) + "a note for later; finish it or open an issue");
      }
      if (!reads_environment && (file.header() || is_cpp(file)) &&
          std::regex_search(file.code[i], environment)) {
        findings.push_back(at(file, i) + "the environment is read in experiments/main.cpp only");
      }
    }
  }
  return findings;
}

Findings check_cmake(const std::vector<SourceFile>& files) {
  std::map<std::string, std::set<std::string>> listed;  // by folder of the CMakeLists.txt
  static const std::regex token(R"([A-Za-z0-9_./-]+\.cpp)");
  for (const SourceFile& file : files) {
    if (!file.path.ends_with("CMakeLists.txt")) continue;
    std::set<std::string>& names = listed[file.folder];
    for (const std::string& line : file.lines) {
      const std::string code = line.substr(0, line.find('#'));
      for (std::sregex_iterator it(code.begin(), code.end(), token), end; it != end; ++it) {
        names.insert(it->str());
      }
    }
  }
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file)) continue;
    std::string folder = file.folder;
    while (!folder.empty() && listed.count(folder) == 0) folder = parent(folder);
    const std::string name = folder.empty() ? file.path : file.path.substr(folder.size() + 1);
    if (listed[folder].count(name) == 0) {
      findings.push_back(at(file, 0) + "not built: add " + name + " to " + folder +
                         "/CMakeLists.txt or remove it");
    }
  }
  return findings;
}

}  // namespace saccade::architecture
