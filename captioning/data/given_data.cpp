#include "captioning/data/given_data.h"

#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTogether = 64;  // examples whose pictures are packed at once
constexpr const char* kList = "metadata.jsonl";

std::string picture_name(Index number) {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 7 ? 7 - digits.size() : 0, '0');
  return digits + ".png";
}

std::string example_line(const TrainingExample& example, Index number) {
  const std::string place = str("example ", number);
  if (example.captions.empty())
    throw DataError(place + ": has no caption; give each image at least one");
  if (example.picture.height < 1 || example.picture.width < 1)
    throw DataError(place + ": the picture has no pixels");
  try {
    const nlohmann::ordered_json line = {{"file_name", picture_name(number)},
                                         {"captions", example.captions},
                                         {"split", example.validation ? "val" : "train"}};
    return line.dump() + "\n";
  } catch (const nlohmann::json::type_error&) {
    throw DataError(place + ": a caption is not UTF-8; decode it first");
  }
}

std::string bytes_of(const fs::path& file) { return whole_file(file).value_or(""); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Throws where the folders hold other examples.
void require_same(const fs::path& before, const fs::path& now) {
  const std::vector<std::string> old = lines_of(bytes_of(before / kList));
  const std::vector<std::string> given = lines_of(bytes_of(now / kList));
  const auto same = [&](std::size_t i) {
    const std::string name = picture_name(static_cast<Index>(i));
    return old[i] == given[i] && bytes_of(before / name) == bytes_of(now / name);
  };
  for (std::size_t i = 0; i < std::max(old.size(), given.size()); ++i)
    if (i >= old.size() || i >= given.size() || !same(i))
      throw DataError(str("example ", i, ": is not the one with which the run began, in ",
                          before.string(), "; give the same data, or train into a new directory"));
}

// A folder that is removed again, unless it was moved away.
struct Part {
  fs::path path;

  explicit Part(fs::path p) : path(std::move(p)) { remove(); }
  ~Part() { remove(); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  void remove() const {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

}  // namespace

void keep_examples(const TrainingExamples& next, const fs::path& folder) {
  const Part part(folder.string() + ".part");
  make_folders(part.path);
  std::string list;
  Index count = 0;
  for (bool more = true; more;) {
    std::vector<TrainingExample> block;
    while (block.size() < kTogether) {
      std::optional<TrainingExample> example = next();
      more = example.has_value();
      if (!more) break;
      list += example_line(*example, count + static_cast<Index>(block.size()));
      block.push_back(std::move(*example));
    }
    parallel::for_each(static_cast<Index>(block.size()), [&](Index i) {
      write_png(part.path / picture_name(count + i), block[static_cast<std::size_t>(i)].picture);
    });
    count += static_cast<Index>(block.size());
  }
  if (count == 0) throw DataError("the data hold no example; give images with captions");
  write_file(part.path / kList, list);
  std::error_code error;
  if (fs::exists(folder, error)) return require_same(folder, part.path);
  fs::rename(part.path, folder, error);
  if (error) throw IoError(str(folder.string(), ": cannot be made: ", error.message()));
}

}  // namespace saccade
