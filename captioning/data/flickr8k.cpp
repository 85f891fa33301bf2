// Reads Flickr8k's text files (Flickr30k's token file has the same form).
#include <array>
#include <unordered_map>

#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/picture_names.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

using Splits = std::unordered_map<std::string, Split>;

Splits read_splits(const fs::path& folder, Dataset& out) {
  constexpr std::array<std::string_view, 3> kNames = {"trainImages", "devImages", "testImages"};
  Splits splits;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const fs::path path = folder / str("Flickr_8k.", kNames[i], ".txt");
    std::error_code error;
    if (!fs::exists(path, error)) {
      out.notes.push_back(str("no ", split_name(static_cast<Split>(i)), " split: ", path.string(),
                              " does not exist"));
      continue;
    }
    for (const TextLine& line : read_lines(path, "split list")) {
      if (trim(line.text).empty()) continue;
      const std::string name = image_name(trim(line.text), str(path.string(), ":", line.number));
      if (!splits.emplace(name, static_cast<Split>(i)).second) {
        throw DataError(str(path.string(), ":", line.number, ": '", name, "' was listed before"));
      }
    }
  }
  if (splits.empty()) {
    throw DataError(str(folder.string(),
                        ": no Flickr_8k.{train,dev,test}Images.txt with a name in "
                        "it; data.splits is the folder of these lists"));
  }
  return splits;
}

struct TokenLine {
  std::string name;
  std::string key;  // name#k
  std::string caption;
};

TokenLine parse(const TextLine& line, const std::string& file) {
  // Some copies use two tabs. A file name may hold a '#', so the caption's number is after the
  // last.
  const auto tab = line.text.find('\t');
  const auto hash = tab == std::string::npos ? tab : line.text.rfind('#', tab);
  if (hash == std::string::npos || hash == 0 || hash + 1 == tab) {
    throw DataError(str(file, ":", line.number, ": expected <image>#<number> TAB <caption>"));
  }
  const auto digits = line.text.substr(hash + 1, tab - hash - 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos) {
    throw DataError(
        str(file, ":", line.number, ": expected a number after '#', got '", digits, "'"));
  }
  return {line.text.substr(0, hash), line.text.substr(0, tab), trim(line.text.substr(tab))};
}

}  // namespace

Dataset read_flickr8k(const Flickr8kFiles& files) {
  const std::string file = files.tokens.string();
  Dataset out;
  out.name = "flickr8k";
  out.numbers_are_places = true;
  const bool has_splits = !files.splits.empty();
  const Splits splits = has_splits ? read_splits(files.splits, out) : Splits();
  std::unordered_map<std::string, std::size_t> by_name;
  std::unordered_map<std::string, std::size_t> lines;  // by name#k
  std::unordered_map<std::string, Index> outside;      // captions of images in no split
  std::vector<std::string> odd;                        // lines whose name is not of an image file
  std::int64_t next_number = 0;
  for (const TextLine& line : read_lines(files.tokens, "token file")) {
    TokenLine token = parse(line, file);
    const auto [seen, fresh] = lines.emplace(token.key, line.number);
    if (!fresh) {
      throw DataError(
          str(file, ":", line.number, ": '", token.key, "' was there in line ", seen->second));
    }
    if (!named_as_picture(token.name)) {
      odd.push_back(str("line ", line.number, ": '", token.name, "'"));
      continue;
    }
    token.name = image_name(token.name, str(file, ":", line.number));
    const std::string path = image_path(files.images, token.name, str(file, ":", line.number));
    const auto listed = splits.find(token.name);
    if (listed == splits.end() && has_splits) {
      ++outside[token.name];
      continue;
    }
    const Split split = has_splits ? listed->second : Split::kTrain;
    const auto [found, added] = by_name.emplace(token.name, out.images.size());
    if (added) {
      out.images.push_back({.id = token.name,
                            .number = next_number++,
                            .path = path,
                            .split = split,
                            .captions = {}});
    }
    out.images[found->second].captions.push_back(std::move(token.caption));
  }
  if (!odd.empty()) {
    out.notes.push_back(
        str("dropped lines whose name is not of an image file: ", first_names(odd)));
  }
  if (!outside.empty()) {
    out.notes.push_back(str("dropped ", counted(static_cast<Index>(outside.size()), "image"),
                            outside.size() == 1 ? " that is" : " that are", " in no split list"));
  }
  if (splits.size() > by_name.size()) {
    out.notes.push_back(
        str("dropped ", counted(static_cast<Index>(splits.size() - by_name.size()), "listed image"),
            " without a caption"));
  }
  finish(out, file);
  return out;
}

}  // namespace saccade
