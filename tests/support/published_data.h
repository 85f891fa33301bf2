// Published data that some tests read where it is available. The environment variable SACCADE_DATA
// names its folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace saccade::test {

// The folder of a data set; or nothing, and a message that the test is skipped.
inline std::filesystem::path data_folder(const char* name) {
  const char* root = std::getenv("SACCADE_DATA");
  const auto folder =
      root == nullptr ? std::filesystem::path() : std::filesystem::path(root) / name;
  if (root != nullptr && std::filesystem::exists(folder)) return folder;
  std::cout << "skipped: SACCADE_DATA names no folder with " << name << "\n";
  return {};
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

}  // namespace saccade::test
