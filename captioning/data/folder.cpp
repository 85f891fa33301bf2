// Reads a plain folder: images, and a captions.csv beside them (also Kaggle's form of Flickr8k).
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <unordered_map>

#include "captioning/data/csv.h"
#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

struct Columns {
  std::size_t image = 0, caption = 0, count = 0;
  std::optional<std::size_t> split;
};

std::string lower_ascii(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Columns read_header(const CsvRow& row, const std::string& file) {
  std::optional<std::size_t> image, caption, split;
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    const std::string name = lower_ascii(row.fields[i]);
    std::optional<std::size_t>* column = name == "image"     ? &image
                                         : name == "caption" ? &caption
                                         : name == "split"   ? &split
                                                             : nullptr;
    if (column == nullptr) continue;
    if (*column) throw DataError(str(file, ":", row.line, ": column '", name, "' is there twice"));
    *column = i;
  }
  if (!image || !caption) {
    const bool semicolons = row.fields.size() == 1 && row.fields[0].find(';') != std::string::npos;
    throw DataError(str(file, ":", row.line, ": the first line must name the columns image and ",
                        "caption (and split, if wanted)",
                        semicolons ? "; its columns are separated by semicolons: export the file "
                                     "again, with commas"
                                   : ""));
  }
  return {*image, *caption, row.fields.size(), split};
}

Split read_split(const std::string& text, const std::string& place) {
  const std::string word = lower_ascii(text);
  for (const Split known : {Split::kTrain, Split::kVal, Split::kTest}) {
    if (word == split_name(known)) return known;
  }
  throw DataError(str(place, ": unknown split '", word, "'; expected train, val or test"));
}

}  // namespace

Dataset read_folder(const FolderFiles& files) {
  const std::filesystem::path captions =
      files.captions.empty() ? files.images / "captions.csv" : files.captions;
  const std::string file = captions.string();
  const std::vector<CsvRow> rows = read_csv(captions, "captions CSV");
  if (rows.empty()) throw DataError(str(file, ": is empty; expected a line image,caption"));
  const Columns columns = read_header(rows.front(), file);
  Dataset out;
  out.name = "folder";
  out.numbers_are_places = true;
  std::unordered_map<std::string, std::size_t> by_name;
  std::set<std::pair<std::string, std::string>> seen;
  Index repeated = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    const std::string place = str(file, ":", row.line);
    if (row.fields.size() != columns.count) {
      throw DataError(str(place, ": ", row.fields.size(), " fields, the header has ", columns.count,
                          "; a caption with a comma must be quoted"));
    }
    const std::string name = image_name(row.fields[columns.image], place);
    const std::string& caption = row.fields[columns.caption];
    if (!seen.emplace(name, caption).second) {
      ++repeated;
      continue;
    }
    const Split split =
        columns.split ? read_split(row.fields[*columns.split], place) : Split::kTrain;
    const auto [found, added] = by_name.emplace(name, out.images.size());
    if (added) {
      out.images.push_back({.id = name,
                            .number = static_cast<std::int64_t>(out.images.size()),
                            .path = image_path(files.images, name, place),
                            .split = split,
                            .captions = {}});
    }
    CaptionedImage& image = out.images[found->second];
    if (image.split != split) {
      throw DataError(str(place, ": '", name, "' is in ", split_name(image.split), " and in ",
                          split_name(split)));
    }
    image.captions.push_back(caption);
  }
  if (repeated > 0) out.notes.push_back("dropped " + counted(repeated, "repeated caption"));
  finish(out, file);
  return out;
}

}  // namespace saccade
