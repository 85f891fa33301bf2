#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "core/io/row_store.h"
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
  const std::optional<std::string> text = whole_file(file);
  if (!text) throw DataError(file.string() + ": there is no such file");
  return bytes_of(*text);
}

Bytes written_bytes(const std::string& name, const std::function<void(const fs::path&)>& write) {
  const fs::path file = scratch_file(name, {});
  fs::remove(file);
  write(file);
  return bytes_of_file(file);
}

Bytes cached_rows(bool half) {
  return written_bytes("written.rows", [half](const fs::path& file) {
    const RowFormat format{.key = "key", .shape = {2, 3}, .half = half};
    RowStoreWriter writer(file, format, {"a.jpg", "b.jpg", "c.jpg"});
    const std::vector<float> row{1, 2, 3, -4, 5, 0.5F};
    writer.write("a.jpg", row);
    writer.write("b.jpg", row);
    writer.leave_out("c.jpg");
    writer.finish();
  });
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
