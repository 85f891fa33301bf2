#include "core/base/own_place.h"

#include <cstdint>
#include <fstream>
#include <sstream>

namespace saccade {

namespace fs = std::filesystem;

namespace {

// The file that this code was loaded from: the program, or the shared library.
fs::path own_file() {
  static const char here = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&here);
  std::ifstream maps("/proc/self/maps");  // "START-END FLAGS OFFSET DEVICE INODE   /path"
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    std::uintptr_t start = 0, end = 0;
    char dash = 0;
    in >> std::hex >> start >> dash >> end;
    const std::size_t path = line.find('/');
    if (in && start <= address && address < end && path != std::string::npos)
      return line.substr(path);
  }
  return {};
}

}  // namespace

fs::path own_place(const fs::path& below) {
  constexpr int kMostSteps = 5;  // build/release/libexec/saccade/saccade
  fs::path above = own_file().parent_path();
  for (int step = 0; step < kMostSteps && !above.empty(); ++step) {
    std::error_code error;
    if (fs::exists(above / below, error)) return above / below;
    above = above == above.root_path() ? fs::path() : above.parent_path();
  }
  return {};
}

std::string data_guide() {
  fs::path guide = own_place("share/saccade/configs/README.md");
  if (guide.empty()) guide = own_place("configs/README.md");
  if (guide.empty()) return "configs/README.md of saccade's sources";
  std::error_code error;
  const fs::path here = guide.lexically_relative(fs::current_path(error));
  return (error || here.empty() || *here.begin() == ".." ? guide : here).string();
}

}  // namespace saccade
