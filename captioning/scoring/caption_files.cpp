#include "captioning/scoring/caption_files.h"

#include <algorithm>

#include "captioning/data/caption_columns.h"
#include "captioning/data/captions_form.h"
#include "captioning/data/fill_splits.h"
#include "captioning/data/reader_support.h"
#include "captioning/scoring/caption_forms.h"
#include "captioning/text/plain_caption.h"
#include "captioning/text/ptb_tokenizer.h"
#include "captioning/text/unspaced.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// Leaves the images of a split. The splits that a table lacks are those that training makes.
void choose(Split split, bool is_table, CaptionFile& file) {
  if (!file.split_problem.empty()) throw DataError(file.split_problem);
  const bool has_splits = std::any_of(file.images.begin(), file.images.end(),
                                      [](const ListedImage& image) { return image.split; });
  if (!has_splits && !is_table)
    throw UsageError(str(file.path, ": has no splits to choose ", split_name(split), " from"));
  Dataset dataset;
  for (const ListedImage& image : file.images)
    dataset.images.push_back({.id = image.id.shown(),
                              .path = "",
                              .split = image.split.value_or(Split::kTrain),
                              .captions = {}});
  if (is_table) {
    fill_splits(dataset, SplitConfig());
    file.notes.insert(file.notes.end(), dataset.notes.begin(), dataset.notes.end());
  }
  std::vector<ListedImage> chosen;
  for (std::size_t i = 0; i < file.images.size(); ++i)
    if (dataset.images[i].split == split) chosen.push_back(std::move(file.images[i]));
  file.images = std::move(chosen);
  if (file.images.empty())
    throw DataError(str(file.path, ": there is no image in the split ", split_name(split),
                        "; is it the right split?"));
}

std::size_t caption_count(const CaptionFile& file) {
  std::size_t count = 0;
  for (const ListedImage& image : file.images) count += image.captions.size();
  return count;
}

void note_captions(CaptionFile& file) {
  UnspacedCaptions unspaced;
  PlainCaptions plain;
  std::size_t line_ends = 0;
  for (const ListedImage& image : file.images) {
    for (const std::string& caption : image.captions) {
      unspaced.add(caption);
      plain.add(caption);
      line_ends += holds_line_end(caption) ? 1U : 0U;
    }
  }
  if (const std::string warning = unspaced.warning(); !warning.empty())
    file.notes.push_back(str(file.path, ": ", warning));
  if (line_ends > 0) file.notes.push_back(line_ends_note(file.path, line_ends));
  if (const std::string note = plain.note(); !note.empty())
    file.notes.push_back(str(file.path, ": ", note));
}

// METEOR takes the square of a caption's length, and nobody writes so many words.
void refuse_long(const CaptionFile& file) {
  constexpr std::size_t kMost = 10'000;
  for (const ListedImage& image : file.images)
    for (const std::string& caption : image.captions) {
      const auto spaces = std::count(caption.begin(), caption.end(), ' ');
      if (static_cast<std::size_t>(spaces) <= kMost) continue;
      const std::string shown = image.id.shown();
      throw DataError(str(file.path, ": the caption", shown.empty() ? "" : " of " + shown,
                          " that begins '", caption.substr(0, 20), "' has more than ", kMost,
                          " words; is it a whole text, or are line ends missing?"));
    }
}

// Whether a first word marks a place, as '<s>' and 'Caption:' do, instead of being part of a
// caption.
bool marks_beginning(std::string_view word) {
  return !word.empty() && (word.front() == '<' || word.front() == '[' || word.back() == ':');
}

std::string_view first_word(std::string_view caption) {
  const std::size_t begin = std::min(caption.find_first_not_of(' '), caption.size());
  return caption.substr(begin, std::min(caption.find(' ', begin), caption.size()) - begin);
}

// A note where all captions begin with the same mark, which is scored as words of theirs.
void note_marks(CaptionFile& file) {
  std::string_view mark;
  std::size_t captions = 0;
  for (const ListedImage& image : file.images)
    for (const std::string& caption : image.captions) {
      const std::string_view word = first_word(caption);
      if (captions++ == 0) mark = word;
      if (word != mark || !marks_beginning(word)) return;
    }
  if (captions < 2) return;
  file.notes.push_back(str(file.path, ": all captions begin with '", mark,
                           "', which is scored as a part of them; take it out of the file if it is "
                           "none"));
}

CaptionFile read(const fs::path& path, CaptionRole role, std::optional<Split> split,
                 LineReading lines) {
  CaptionFile out{.path = path.string(), .form = ""};
  const std::string text =
      read_captions_text(path, role == CaptionRole::kReferences ? "references" : "results");
  const bool is_json = captions_form(text) == CaptionsForm::kJson;
  const bool is_table = !is_json && header_separator(text);
  if (is_json) {
    read_json_captions(text, out);
  } else if (is_table) {
    read_table_captions(text, out);
  } else {
    read_line_captions(text, role, lines, out);
  }
  out.lines_told = lines != LineReading::kAsk;
  if (split) choose(*split, is_table, out);
  refuse_long(out);
  return out;
}

}  // namespace

ListedImage& ImageCollector::image(const ImageId& id) {
  const std::string key = id.name.empty() ? str("#", *id.number) : id.name;
  const auto [found, fresh] = places_.emplace(key, file_->images.size());
  if (fresh) file_->images.push_back({.id = id});
  return file_->images[found->second];
}

ListedImage& ImageCollector::add(const ImageId& id, const std::string& place) {
  const std::size_t before = file_->images.size();
  ListedImage& added = image(id);
  if (file_->images.size() == before)
    throw DataError(str(place, ": image ", id.shown(), " is there twice"));
  return added;
}

void set_split(CaptionFile& file, ListedImage& image, const std::string& word,
               const std::string& place) {
  const auto split = find_split(clean_caption(word));
  if (split && !image.split) image.split = split;
  if ((split && *split == *image.split) || !file.split_problem.empty()) return;
  file.split_problem =
      split ? str(place, ": '", image.id.shown(), "' is in ", split_name(*image.split), " and in ",
                  split_name(*split))
            : str(place, ": unknown split '", clean_caption(word),
                  "'; expected train, val or test (or training, validation, dev, ...)");
}

CaptionFile read_references(const fs::path& path, std::optional<Split> split, LineReading lines) {
  CaptionFile out = read(path, CaptionRole::kReferences, split, lines);
  if (caption_count(out) == 0)
    throw DataError(out.path + ": there is no image with references in it");
  note_captions(out);
  note_marks(out);
  return out;
}

CaptionFile read_results(const fs::path& path, LineReading lines) {
  CaptionFile out = read(path, CaptionRole::kResults, std::nullopt, lines);
  note_marks(out);
  return out;
}

std::string form_line(const char* role, const CaptionFile& file) {
  Index empty = 0;
  for (const ListedImage& image : file.images)
    empty += std::count(image.captions.begin(), image.captions.end(), std::string());
  return str(role, ": ", file.path, ", read as ", file.form, ": ",
             counted(static_cast<Index>(file.images.size()), "image"), ", ",
             counted(static_cast<Index>(caption_count(file)), "caption"),
             empty == 0 ? "" : str(", of which ", empty, empty == 1 ? " is" : " are", " empty"));
}

std::string line_ends_note(const std::string& path, std::size_t captions) {
  return str(path, ": ", counted(static_cast<Index>(captions), "caption holds", "captions hold"),
             " line ends, which are taken as spaces");
}

}  // namespace saccade
