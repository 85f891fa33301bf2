#include "captioning/scoring/files/caption_files.h"

#include <algorithm>
#include <map>
#include <set>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/caption_forms.h"
#include "captioning/scoring/files/captions_form.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "captioning/scoring/words/unspaced.h"
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
  std::vector<NamedSplit> splits;
  for (const ListedImage& image : file.images)
    splits.push_back({image.id.shown(), image.split.value_or(Split::kTrain)});
  if (is_table) {
    const std::vector<std::string> notes = fill_splits(splits, {});
    file.notes.insert(file.notes.end(), notes.begin(), notes.end());
  }
  std::vector<ListedImage> chosen;
  for (std::size_t i = 0; i < file.images.size(); ++i)
    if (splits[i].split == split) chosen.push_back(std::move(file.images[i]));
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

// Whether a word at either end of a caption is a mark of a decoder, as '<s>', '[SEP]' and 'endseq'
// are, or one that stands before a caption, as 'Caption:' does.
bool is_mark(std::string_view word) {
  constexpr std::string_view kNames[] = {"startseq", "endseq", "sos", "eos", "bos"};
  if (word.size() < 2) return false;
  return (word.front() == '<' && word.back() == '>') ||
         (word.front() == '[' && word.back() == ']') || word.back() == ':' ||
         std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames);
}

// The words between spaces.
std::vector<std::string_view> spaced_words(std::string_view caption) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < caption.size();) {
    const std::size_t end = std::min(caption.find(' ', at), caption.size());
    if (end > at) words.push_back(caption.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The marks at the ends of a caption.
std::set<std::string_view> marks_of(std::string_view caption) {
  const std::vector<std::string_view> words = spaced_words(caption);
  const auto inner = std::find_if_not(words.begin(), words.end(), is_mark);
  const auto outer = std::find_if_not(words.rbegin(), words.rend(), is_mark);
  std::set<std::string_view> out(words.begin(), inner);
  out.insert(words.rbegin(), outer);
  return out;
}

// A note where at least half of the captions have the same marks at their ends, which are scored as
// words of theirs.
void note_marks(CaptionFile& file) {
  std::map<std::string_view, std::size_t> marks;  // how many captions have each
  std::size_t captions = 0;
  for (const ListedImage& image : file.images)
    for (const std::string& caption : image.captions) {
      const std::set<std::string_view> own = marks_of(caption);
      for (const std::string_view mark : own) ++marks[mark];
      captions += caption.empty() ? 0U : 1U;
    }
  std::vector<std::string> found;
  for (const auto& [mark, count] : marks)
    if (captions >= 2 && 2 * count >= captions) found.push_back(str("'", mark, "'"));
  if (found.empty()) return;
  file.notes.push_back(str(file.path, ": captions begin or end with ", first_names(found),
                           ", which ", found.size() == 1 ? "is" : "are",
                           " scored as a part of them; take such marks out of the file"));
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
