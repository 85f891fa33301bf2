// Reads a plain folder: images, and a list of captions (caption_rows.h).
#include <array>
#include <set>
#include <unordered_map>

#include "captioning/data/caption_rows.h"
#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

std::filesystem::path captions_beside(const std::filesystem::path& images) {
  // The usual name, and those that folders of images with metadata have.
  constexpr std::array<const char*, 3> kNames = {"captions.csv", "metadata.csv", "metadata.jsonl"};
  std::error_code error;
  for (const char* name : kNames)
    if (std::filesystem::exists(images / name, error)) return images / name;
  return images / kNames.front();
}

Dataset read_folder(const FolderFiles& files) {
  const std::filesystem::path captions =
      files.captions.empty() ? captions_beside(files.images) : files.captions;
  CaptionRows list = read_caption_rows(captions);
  Dataset out;
  out.name = "folder";
  out.numbers_are_places = true;
  out.notes = std::move(list.notes);
  std::unordered_map<std::string, std::size_t> by_name;
  std::set<std::pair<std::string, std::string>> seen;
  Index repeated = 0;
  std::vector<std::string> repeating;  // names of images
  for (CaptionRow& row : list.rows) {
    const std::string name = image_name(row.image, row.place);
    const Split split = row.split ? read_split(*row.split, row.place) : Split::kTrain;
    const auto [found, added] = by_name.emplace(name, out.images.size());
    if (added) {
      out.images.push_back({.id = name,
                            .number = static_cast<std::int64_t>(out.images.size()),
                            .path = image_path(files.images, name, row.place),
                            .split = split,
                            .captions = {}});
    }
    CaptionedImage& image = out.images[found->second];
    if (image.split != split) {
      throw DataError(str(row.place, ": '", name, "' is in ", split_name(image.split), " and in ",
                          split_name(split)));
    }
    for (std::string& caption : row.captions) {
      if (seen.emplace(name, caption).second) {
        image.captions.push_back(std::move(caption));
        continue;
      }
      ++repeated;
      if (repeating.empty() || repeating.back() != name) repeating.push_back(name);
    }
  }
  if (repeated > 0)
    out.notes.push_back(
        str("dropped ", counted(repeated, "repeated caption"), ": of ", first_names(repeating)));
  finish(out, captions.string());
  return out;
}

}  // namespace saccade
