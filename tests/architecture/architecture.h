// The rules of the project that a program can check: layers, owners of libraries, include cycles,
// file sizes, comments on top, sources known to CMake. Each finding names file, line and remedy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade::architecture {

struct SourceFile {
  std::string path;                // from the root, with '/'
  std::string top, folder;         // "core" and "core/ops"
  std::vector<std::string> lines;  // as written
  std::vector<std::string> code;   // without comments; literals are kept

  bool header() const { return path.ends_with(".h"); }
};

// All text files of the project below `root`, sorted by path, without build and run folders.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);

// One finding per line: "path:line: what is wrong; what to do". Empty when nothing is wrong.
using Findings = std::vector<std::string>;

Findings check_layers(const std::vector<SourceFile>& files);  // layers include what is below them
Findings check_third_party(const std::vector<SourceFile>& files);  // each library has its owners
Findings check_cycles(const std::vector<SourceFile>& files);       // of headers, and of folders
Findings check_sizes(const std::vector<SourceFile>& files, int most_lines);
Findings check_headers(
    const std::vector<SourceFile>& files);  // comment, pragma, no using namespace
Findings check_words(
    const std::vector<SourceFile>& files);  // words that do not belong in a project
// The headers that are installed (captioning/install/public_headers.txt) exist and include nothing
// else of the project and no library.
Findings check_public_headers(const std::vector<SourceFile>& files);
Findings check_cmake(const std::vector<SourceFile>& files);  // every .cpp is built

}  // namespace saccade::architecture
