#include "captioning/scoring/caption_files.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "captioning/data/captions_form.h"
#include "captioning/data/fill_splits.h"
#include "captioning/data/json_file.h"
#include "captioning/data/reader_support.h"
#include "captioning/data/readers.h"
#include "captioning/text/ptb_tokenizer.h"
#include "captioning/text/unspaced.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

void read_coco_images(const JsonValue& root, ReferenceFile& out) {
  std::unordered_map<std::int64_t, std::size_t> places;
  const JsonValue images = root["images"];
  for (std::size_t i = 0; i < images.size(); ++i) {
    const JsonValue entry = images.at(i);
    const auto name = entry.find("file_name");
    const std::int64_t number = entry["id"].integer();
    if (!places.emplace(number, out.images.size()).second) {
      throw DataError(str(entry.place(), ": image id ", number, " is there twice"));
    }
    out.images.push_back({.name = name ? name->text() : "", .number = number, .captions = {}});
  }
  const JsonValue annotations = root["annotations"];
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const JsonValue entry = annotations.at(i);
    const std::int64_t number = entry["image_id"].integer();
    const auto found = places.find(number);
    if (found == places.end()) {
      throw DataError(str(entry.place(), ": image_id ", number, " is not an image of this file"));
    }
    out.images[found->second].captions.push_back(entry["caption"].text());
  }
}

void read_karpathy_images(const JsonValue& images, std::optional<Split> split, ReferenceFile& out) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    const JsonValue entry = images.at(i);
    if (split) {
      const std::string& name = entry["split"].text();
      if ((name == "restval" ? "train" : name) != split_name(*split)) continue;
    }
    const auto coco = entry.find("cocoid");
    ReferenceImage image{.name = entry["filename"].text(),
                         .number = coco ? coco->integer() : entry["imgid"].integer(),
                         .captions = {}};
    const JsonValue sentences = entry["sentences"];
    for (std::size_t k = 0; k < sentences.size(); ++k) {
      image.captions.push_back(sentences.at(k)["raw"].text());
    }
    out.images.push_back(std::move(image));
  }
}

// Images get the numbers that `saccade evaluate --out` writes for such a folder.
void read_csv_images(const fs::path& path, std::optional<Split> split, ReferenceFile& out) {
  Dataset dataset = read_folder({.images = path.parent_path(), .captions = path});
  if (split) fill_splits(dataset, SplitConfig());
  for (CaptionedImage& image : dataset.images)
    if (!split || image.split == *split)
      out.images.push_back(
          {.name = image.id, .number = image.number, .captions = std::move(image.captions)});
  out.numbered = true;
  out.notes = std::move(dataset.notes);
}

void read_token_lines(const std::vector<TextLine>& lines, ReferenceFile& out) {
  std::unordered_map<std::string, std::size_t> places;
  for (const TextLine& line : lines) {
    const auto marks = token_marks(line.text);
    if (!marks) {
      throw DataError(str(out.path, ":", line.number, ": expected <image>#<number> TAB <caption>"));
    }
    const std::string name = line.text.substr(0, marks->hash);
    const auto [found, fresh] = places.emplace(name, out.images.size());
    if (fresh) {
      out.images.push_back({.name = name,
                            .number = static_cast<std::int64_t>(out.images.size()) + 1,
                            .captions = {}});
    }
    out.images[found->second].captions.push_back(line.text.substr(marks->tab + 1));
  }
}

void read_plain_lines(const std::vector<TextLine>& lines, ReferenceFile& out) {
  for (const TextLine& line : lines) {
    ReferenceImage image{
        .name = "", .number = static_cast<std::int64_t>(line.number), .captions = {}};
    for (std::size_t at = 0; at <= line.text.size();) {
      const std::size_t tab = std::min(line.text.find('\t', at), line.text.size());
      image.captions.push_back(line.text.substr(at, tab - at));
      at = tab + 1;
    }
    out.images.push_back(std::move(image));
  }
}

void refuse_split(std::optional<Split> split, const ReferenceFile& file) {
  if (!split) return;
  throw UsageError(str(file.path, ": has no splits to choose ", split_name(*split), " from"));
}

std::size_t count_line_ends(const ReferenceFile& file) {
  std::size_t count = 0;
  for (const ReferenceImage& image : file.images) {
    count += static_cast<std::size_t>(
        std::count_if(image.captions.begin(), image.captions.end(), holds_line_end));
  }
  return count;
}

void check(const ReferenceFile& file) {
  if (file.images.empty()) {
    throw DataError(file.path + ": there is no image with references; is it the right split?");
  }
  std::unordered_set<std::string> names;
  std::unordered_set<std::int64_t> numbers;
  for (const ReferenceImage& image : file.images) {
    const std::string shown = image.name.empty() ? std::to_string(image.number) : image.name;
    if (image.captions.empty()) {
      throw DataError(str(file.path, ": image ", shown, " has no caption"));
    }
    if (!numbers.insert(image.number).second) {
      throw DataError(str(file.path, ": image id ", image.number, " is there twice"));
    }
    if (!image.name.empty() && !names.insert(image.name).second) {
      throw DataError(str(file.path, ": image ", image.name, " is there twice"));
    }
  }
}

ResultFile read_json_results(const JsonValue& root, const fs::path& path) {
  if (root.is_object() && root.find("images"))
    throw DataError(str(path.string(),
                        ": holds references, and results were expected; were the two files named "
                        "in the wrong order?"));
  ResultFile out{.path = path.string(), .captions = {}};
  for (std::size_t i = 0; i < root.size(); ++i) {
    const JsonValue entry = root.at(i);
    ResultCaption result{.name = "",
                         .number = std::nullopt,
                         .caption = entry["caption"].text(),
                         .place = entry.place()};
    const auto image = entry.find("image");
    if (image) result.name = image->text();
    const auto id = image ? entry.find("image_id") : std::optional(entry["image_id"]);
    if (id && id->is_text()) {
      if (!image) result.name = id->text();
    } else if (id) {
      result.number = id->integer();
    }
    out.captions.push_back(std::move(result));
  }
  return out;
}

// Columns beside image and caption are ignored.
ResultFile read_csv_results(const fs::path& path) {
  ResultFile out{.path = path.string(), .captions = {}};
  const Dataset dataset = read_folder({.images = path.parent_path(), .captions = path});
  for (const CaptionedImage& image : dataset.images)
    for (const std::string& caption : image.captions)
      out.captions.push_back(
          {.name = image.id, .number = std::nullopt, .caption = caption, .place = out.path});
  return out;
}

}  // namespace

ReferenceFile read_references(const fs::path& path, std::optional<Split> split) {
  ReferenceFile out{.path = path.string(), .numbered = false, .images = {}};
  const std::string text = read_text(path, "references");
  const CaptionsForm form = captions_form(text);
  if (form == CaptionsForm::kJson) {
    const JsonValue root = JsonValue::parse(text, path);
    if (root.is_array())
      throw DataError(str(path.string(),
                          ": is a list of results, and references were expected; were the two "
                          "files named in the wrong order?"));
    out.numbered = true;
    if (root.find("annotations")) {
      refuse_split(split, out);
      read_coco_images(root, out);
    } else {
      read_karpathy_images(root["images"], split, out);
    }
  } else if (form == CaptionsForm::kCsv || path.extension() == ".csv") {
    read_csv_images(path, split, out);
  } else {
    refuse_split(split, out);
    std::vector<TextLine> lines = lines_of(text, path);
    std::erase_if(lines, [](const TextLine& line) { return line.text.empty(); });
    if (form == CaptionsForm::kTokens) {
      read_token_lines(lines, out);
    } else {
      read_plain_lines(lines, out);
    }
  }
  check(out);
  UnspacedCaptions unspaced;
  if (out.notes.empty())  // the captions of a folder have such a note already
    for (const ReferenceImage& image : out.images)
      for (const std::string& caption : image.captions) unspaced.add(caption);
  if (const std::string warning = unspaced.warning(); !warning.empty())
    out.notes.push_back(str(out.path, ": ", warning));
  const std::size_t line_ends = count_line_ends(out);
  if (line_ends > 0) out.notes.push_back(line_ends_note(out.path, line_ends));
  return out;
}

ResultFile read_results(const fs::path& path) {
  const std::string text = read_text(path, "results");
  const CaptionsForm form = captions_form(text);
  if (form == CaptionsForm::kJson) return read_json_results(JsonValue::parse(text, path), path);
  if (form == CaptionsForm::kCsv) return read_csv_results(path);
  ResultFile out{.path = path.string(), .captions = {}};
  for (const TextLine& line : lines_of(text, path)) {
    ResultCaption result{.name = "",
                         .number = std::nullopt,
                         .caption = line.text,
                         .place = str(out.path, ":", line.number)};
    const auto tab = line.text.find('\t');
    if (tab != std::string::npos) {
      const auto marks = token_marks(line.text);
      result.name = line.text.substr(0, marks ? marks->hash : tab);
      result.caption = line.text.substr(tab + 1);
    }
    out.captions.push_back(std::move(result));
  }
  return out;
}

std::string line_ends_note(const std::string& path, std::size_t captions) {
  return str(path, ": ", counted(static_cast<Index>(captions), "caption holds", "captions hold"),
             " line ends, which are taken as spaces");
}

}  // namespace saccade
