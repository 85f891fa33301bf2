// Golden files beside those of the repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

namespace saccade::test {

// The folder that an environment variable names; none, and a line that says so, where it names
// none. The line is not the one of a skipped test, which CTest would let fail unseen: the test goes
// on with the files of the repository.
inline std::optional<std::filesystem::path> further_goldens(const char* variable) {
  if (const char* folder = std::getenv(variable)) return folder;
  std::cout << "without further golden files, of which " << variable << " names the folder\n";
  return {};
}

}  // namespace saccade::test
