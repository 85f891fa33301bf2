#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/campaign/readers.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

// In memory where there is such a folder, since files are written for each input.
struct Scratch {
  fs::path folder;
  Scratch() {
    const fs::path memory = "/dev/shm";
    std::error_code error;
    folder = (fs::is_directory(memory, error) ? memory : fs::temp_directory_path()) /
             ("saccade-campaign-" + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  ~Scratch() {
    std::error_code error;
    fs::remove_all(folder, error);
  }
};

}  // namespace

fs::path scratch_file(const std::string& name, std::span<const std::uint8_t> bytes) {
  static const Scratch scratch;
  fs::path file = scratch.folder / name;
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  return file;
}

Bytes bytes_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Bytes> files(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ending) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  std::vector<Bytes> all;
  for (const fs::path& file : found) all.push_back(bytes_of_file(file));
  return all;
}

}  // namespace saccade::campaign
