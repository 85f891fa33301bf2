#include "captioning/data/data_sets.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"
#include "core/config/idle.h"

namespace saccade {

namespace {

// The keys of `data` that may differ between sets.
constexpr std::array<std::string_view, 13> kKeysOfSets = {
    "type",  "annotations", "images",    "tokens", "splits", "val_annotations",   "val_images",
    "boxes", "limit_train", "limit_val", "share",  "split",  "captions_per_image"};

std::string allowed_keys() { return join(kKeysOfSets, ", "); }

// Images are named NAME/FILE, so that a name is one part of a path.
bool good_name(const std::string& name) {
  return name != "." && name != ".." && name != "all" && !name.empty() &&
         name.find_first_of("/\\") == std::string::npos;
}

// Why a set may lack what the file below has.
std::string replaces(const std::string& name) {
  return str("; data.sets of a file replaces all sets of its base, and data.sets.", name,
             ".images=PLACE on the command line changes one value of a set");
}

// Reads one set, or adds lines to `wrong`.
DataConfig read_set(const NamedValues& set, DataConfig base, std::string& wrong) {
  const auto named = [&](const Place& place) {
    const std::string here = place.text();
    return str(here, here.empty() ? "" : ": ", "data.sets.", set.name);
  };
  const auto add_at = [&](const Place& place, const std::string& text) {
    wrong += str(wrong.empty() ? "" : "\n", named(place), text);
  };
  const auto add = [&](const std::string& text) { add_at(set.place, text); };
  base.sets.clear();
  base.type = DataKind::kJoined;
  for (std::string* file : {&base.annotations, &base.images, &base.tokens, &base.splits,
                            &base.val_annotations, &base.val_images, &base.boxes})
    file->clear();
  if (!good_name(set.name))
    add(": the name of a set is part of the names of its images; it cannot be '" + set.name +
        "' (no slash, not '.', '..' or 'all')");
  Loaded<DataConfig> loaded{.config = std::move(base), .origins = {}};
  for (const auto& [key, value] : set.values) {
    const std::string first = key.substr(0, key.find('.'));
    if (std::find(kKeysOfSets.begin(), kKeysOfSets.end(), first) == kKeysOfSets.end()) {
      const std::vector<std::string> known(kKeysOfSets.begin(), kKeysOfSets.end());
      add_at(set.place_of(key),
             str(".", key, ": a set has ", allowed_keys(), did_you_mean(first, known)));
      continue;
    }
    try {
      apply_override(loaded, key + "=" + value, named(set.place_of(key)));
    } catch (const UsageError& error) {
      if (key == "type") continue;  // told below
      // "place: data.sets.coco: share=2: share: '2' is ..." says the key and its value once.
      const std::string text = error.what(),
                        before = str(named(set.place_of(key)), ": ", key, "=", value, ": ");
      const bool of_key = text.starts_with(before + first);
      wrong += str(wrong.empty() ? "" : "\n",
                   of_key ? str(named(set.place_of(key)), ".", text.substr(before.size())) : text);
    }
  }
  const DataKind type = loaded.config.type;
  const auto given = std::find_if(set.values.begin(), set.values.end(),
                                  [](const auto& one) { return one.first == "type"; });
  const std::string needed =
      "a set needs a type that is read from files: karpathy, coco, flickr8k or folder";
  if (given == set.values.end())
    add(": " + needed + replaces(set.name));
  else if (type == DataKind::kJoined || loaded.config.is_drawn())
    add_at(set.place_of("type"), str(".type: '", given->second, "': ", needed));
  else
    for (const std::string& path : unread_options(loaded.config, "data"))
      for (const auto& [key, value] : set.values)
        if (path == "data." + key || path.starts_with("data." + key + "."))
          add_at(set.place_of(key), str(".", key, " has no effect: type is ", enum_name(type)));
  return std::move(loaded.config);
}

}  // namespace

std::vector<NamedDataConfig> joined_sets(const DataConfig& config) {
  std::vector<NamedDataConfig> out;
  std::string wrong;
  for (const NamedValues& set : config.sets)
    out.push_back({.name = set.name, .config = read_set(set, config, wrong)});
  if (out.size() < 2)
    wrong =
        str("data.type joined needs two data sets or more in data.sets, such as {flickr8k: "
            "{type: karpathy, ...}, coco: {type: coco, ...}}; it has ",
            out.size(), out.empty() ? "" : replaces(out[0].name), wrong.empty() ? "" : "\n", wrong);
  if (!wrong.empty()) throw UsageError(wrong);
  return out;
}

std::string key_in_set(const DataConfig& config, const std::string& path) {
  const std::string section = "data.", key = path.substr(std::min(section.size(), path.size()));
  if (config.type != DataKind::kJoined || config.sets.empty() || !path.starts_with(section) ||
      std::find(kKeysOfSets.begin(), kKeysOfSets.end(), key) == kKeysOfSets.end())
    return "";
  return str("data.sets.", config.sets[0].name, ".", key);
}

std::vector<Difference> share_differences(const DataConfig& first, const DataConfig& second) {
  std::vector<Difference> out;
  if (first.type != DataKind::kJoined || second.type != DataKind::kJoined) return out;
  const std::vector<NamedDataConfig> others = joined_sets(second);
  for (const NamedDataConfig& set : joined_sets(first))
    for (const NamedDataConfig& other : others)
      if (set.name == other.name && set.config.share != other.config.share)
        out.push_back({.path = str("data.sets.", set.name, ".share"),
                       .first = str(set.config.share),
                       .second = str(other.config.share)});
  return out;
}

bool is_folder_of_images(const std::string& key) {
  return key.starts_with("data.") && (key.ends_with(".images") || key.ends_with(".val_images"));
}

std::vector<NamedFile> files_of_set(const DataConfig& set, const std::string& section,
                                    ImageFolders folders) {
  constexpr std::string_view kAlone = "data";
  std::vector<NamedFile> out = named_files(set, std::string(kAlone));
  for (NamedFile& file : out) {
    if (folders == ImageFolders::kMayLack && is_folder_of_images(file.key)) file.needed_by.clear();
    for (std::string* text : {&file.key, &file.needed_by})
      if (text->starts_with(str(kAlone, "."))) text->replace(0, kAlone.size(), section);
  }
  return out;
}

std::vector<NamedFile> data_files(const DataConfig& config, ImageFolders folders) {
  if (config.type != DataKind::kJoined) return files_of_set(config, "data", folders);
  std::vector<NamedFile> out;
  for (const NamedDataConfig& set : joined_sets(config))
    for (NamedFile& file : files_of_set(set.config, "data.sets." + set.name, folders))
      out.push_back(std::move(file));
  return out;
}

}  // namespace saccade
