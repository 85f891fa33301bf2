// Captions in lines of text: behind names of images, as `saccade caption` prints them, or alone.
#include <algorithm>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/caption_forms.h"
#include "captioning/scoring/files/captions_form.h"
#include "captioning/scoring/files/named_lines.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

constexpr std::size_t kMostShown = 60;  // characters of a line, in messages

std::string place_of(const CaptionFile& file, const TextLine& line) {
  return str(file.path, ":", line.number);
}

std::string shown(const TextLine& line) { return "'" + line.text.substr(0, kMostShown) + "'"; }

void read_tokens(const std::vector<TextLine>& lines, CaptionFile& out) {
  out.form = "lines IMAGE#NUMBER, a tab and a caption";
  ImageCollector images(out);
  for (const TextLine& line : lines) {
    if (is_blank(line)) continue;
    const auto marks = token_marks(line.text);
    if (!marks)
      throw DataError(str(place_of(out, line), ": expected <image>#<number> TAB <caption>"));
    images.image(image_id(line.text.substr(0, marks->hash)))
        .captions.push_back(line.text.substr(marks->tab + 1));
  }
}

// What `saccade caption --alternatives` prints below a picture: "   1  log p  -3.21  a dog".
struct Alternative {
  int rank = 0;
  std::string caption;
};
std::optional<Alternative> alternative(const std::string& line) {
  const std::string_view mark = "  log p ";
  const auto at = line.find(mark);
  const auto rank = line.find_first_not_of(' ');
  if (at == std::string::npos || rank == 0 || rank >= at ||
      line.find_first_not_of("0123456789", rank) != at)
    return std::nullopt;
  const auto number = line.find_first_not_of(' ', at + mark.size());
  const auto text = number == std::string::npos ? number : line.find("  ", number);
  return Alternative{.rank = std::stoi(line.substr(rank, std::min<std::size_t>(at - rank, 6))),
                     .caption = text == std::string::npos ? "" : line.substr(text + 2)};
}

// What it prints below the caption of a picture: what the whole model says, and with --say the
// probabilities of the words.
bool is_about_caption(const std::string& line) {
  return line.starts_with("  with all heads: ") || line.starts_with("  log p -");
}

// Whether a line is what `saccade caption` prints below the line of a picture.
bool is_below_picture(const TextLine& line) {
  return is_about_caption(line.text) || alternative(line.text);
}

// Joins the best caption of `saccade caption --alternatives` to the name above it, and leaves out
// what else stands below the line of a picture.
void join_alternatives(std::vector<TextLine>& lines, CaptionFile& out) {
  if (std::none_of(lines.begin(), lines.end(), is_below_picture)) return;
  Index others = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_below_picture(lines[i])) continue;
    const auto one = alternative(lines[i].text);
    if (i == 0)
      throw DataError(str(place_of(out, lines[i]), ": names no image, and none is above it"));
    if (one && one->rank == 1) {
      lines[i - 1].text += " " + one->caption;
    } else {
      ++others;
    }
  }
  std::erase_if(lines, is_below_picture);
  if (others > 0)
    out.notes.push_back(str(out.path, ": the best caption of each image is taken, and ",
                            counted(others, "line"), " below ", others == 1 ? "is" : "are",
                            " left out"));
}

// Whether every line is a word, a tab and more.
bool words_before_tabs(const std::vector<TextLine>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](const TextLine& line) {
    const auto tab = line.text.find('\t');
    return is_blank(line) || (tab != std::string::npos && tab > 0 && line.text.find(' ') > tab);
  });
}

void read_named(const std::string& text, const std::vector<TextLine>& lines, const LineLeads& leads,
                LineReading reading, CaptionFile& out) {
  out.form = str("lines of an image, ", lead_separator_name(leads.separator), " and a caption");
  if (leads.separator == '(') out.form = "lines of an image in brackets and a caption";
  std::vector<NamedRow> rows = named_rows(text, lines, leads, out.path);
  out.counted = leads.counting == leads.filled && are_counted(lines);
  if (out.counted && reading == LineReading::kCaptions) {
    out.form = "numbered lines: in each, a caption of one image, in order";
    out.in_order = true;
    for (NamedRow& row : rows) out.images.push_back({.id = {}, .captions = row.captions});
    return;
  }
  if (reading == LineReading::kNames) out.counted = false;
  ImageCollector images(out);
  for (NamedRow& row : rows) {
    std::vector<std::string>& captions = images.image(row.id).captions;
    std::move(row.captions.begin(), row.captions.end(), std::back_inserter(captions));
  }
}

// Lines of results in which what is before a tab names the image, whatever it looks like.
void read_before_tabs(const std::vector<TextLine>& lines, CaptionFile& out) {
  out.form = str("lines of an image, ", lead_separator_name('\t'), " and a caption");
  ImageCollector images(out);
  for (const TextLine& line : lines) {
    if (is_blank(line)) continue;
    const auto tab = line.text.find('\t');
    if (tab == std::string::npos)
      throw DataError(str(place_of(out, line),
                          ": names no image before a tab, as other lines do; give all lines the "
                          "same form"));
    images.image(image_id(line.text.substr(0, tab))).captions.push_back(line.text.substr(tab + 1));
  }
}

// Puts tabs for the " ||| " that stands between the references of a line in many files. Whether
// there were any.
bool separate_at_bars(std::vector<TextLine>& lines) {
  constexpr std::string_view kBars = "|||";
  bool found = false;
  for (TextLine& line : lines) {
    std::string out;
    std::size_t at = 0;
    for (std::size_t bar; (bar = line.text.find(kBars, at)) != std::string::npos;) {
      out += clean_caption(line.text.substr(at, bar - at)) + '\t';
      at = bar + kBars.size();
      found = true;
    }
    if (at > 0) line.text = out + clean_caption(line.text.substr(at));
  }
  return found;
}

void read_plain(std::vector<TextLine> lines, CaptionRole role, CaptionFile& out) {
  const bool references = role == CaptionRole::kReferences;
  const bool bars = references && separate_at_bars(lines);
  out.form = references
                 ? str("plain lines: in each, the references of one image, with ",
                       bars ? "|||" : "tabs", " between")
                 : "plain lines: in each, the caption of one image, in the references' order";
  out.in_order = true;
  for (const TextLine& line : lines) {
    ListedImage& image = out.images.emplace_back();
    if (!references) image.captions.push_back(line.text);
    for (std::size_t at = 0; references && !line.text.empty() && at <= line.text.size();) {
      const std::size_t tab = std::min(line.text.find('\t', at), line.text.size());
      image.captions.push_back(line.text.substr(at, tab - at));
      at = tab + 1;
    }
  }
}

[[noreturn]] void ask(const CaptionFile& file, const TextLine& line, const std::string& lead,
                      const std::string& otherwise) {
  throw UsageError(str(file.path, ": its lines can be read in two ways: in line ", line.number,
                       ", ", shown(line), ", '", lead, "' may be an image or ", otherwise,
                       "; say which with --lines names or --lines captions, or give the file a "
                       "first line image,caption"));
}

// Throws where some lines begin with an image as certainly as no caption does, and others do not.
void refuse_mixed(const std::vector<TextLine>& lines, const LineLeads& leads, LineReading reading,
                  const CaptionFile& out) {
  const bool most = leads.certain * 2 > leads.filled || leads.like_files * 2 > leads.filled;
  if (reading == LineReading::kCaptions || leads.all()) return;
  if (most || (reading == LineReading::kNames && leads.like_files > 0)) {
    const TextLine& odd = lines[leads.odd.value()];
    if (leads.separator == 0 || leads.like_files == leads.filled)
      throw DataError(str(place_of(out, odd), ": ", shown(odd),
                          " has the name of a file in a form that is not read; write "
                          "a.jpg: a dog, or say --lines captions"));
    throw DataError(str(place_of(out, odd), ": ", shown(odd), " does not begin with an image and ",
                        lead_separator_name(leads.separator),
                        ", as other lines do; give all lines the same form (a header is a line "
                        "image,caption)"));
  }
  if (leads.picture)
    throw DataError(str(place_of(out, lines[*leads.picture]), ": ", shown(lines[*leads.picture]),
                        " begins with an image, and other lines do not; give all lines the same "
                        "form, or say --lines captions"));
}

// The head of a column without a column of images beside it.
void refuse_lone_header(const TextLine& first, std::size_t lines, const CaptionFile& out) {
  const std::string& text = first.text;
  const std::string name = text.substr(0, text.find_first_of(",;|\t"));
  const auto field = caption_field(name);
  const bool column = name == text && field == CaptionField::kCaption;
  const bool several = name != text && field && text.find(' ') == std::string::npos;
  if (lines < 2) return;
  if (column)
    throw DataError(str(place_of(out, first), ": '", text,
                        "' may be a caption or the head of a column; take the line out, or name a "
                        "column of images beside it: image,caption"));
  if (several)
    throw DataError(str(place_of(out, first), ": ", shown(first),
                        " looks like the header of a table, and does not name a column of images "
                        "and one of captions; write image,caption"));
}

}  // namespace

void read_line_captions(const std::string& text, CaptionRole role, LineReading reading,
                        CaptionFile& out) {
  std::vector<TextLine> lines = lines_of(text, out.path);
  // The references of an image are never an empty line at the end; a caption may be.
  if (role == CaptionRole::kReferences)
    while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  const auto first = std::find_if(lines.begin(), lines.end(),
                                  [](const TextLine& line) { return !is_blank(line); });
  if (first == lines.end()) throw DataError(out.path + ": there is no caption in it");
  if (token_marks(first->text)) return read_tokens(lines, out);
  refuse_lone_header(*first, lines.size(), out);
  join_alternatives(lines, out);
  const LineLeads leads = line_leads(lines);
  const bool sure = leads.certain > 0 || (leads.counting == leads.filled && leads.filled > 1);
  if (leads.all() && !sure && reading == LineReading::kAsk)
    ask(out, *first, leading_id(first->text)->name, "the beginning of a caption");
  if (leads.all() && (sure || reading == LineReading::kNames))
    return read_named(text, lines, leads, reading, out);
  const auto has_tab = [](const TextLine& line) {
    return line.text.find('\t') != std::string::npos;
  };
  const bool tabs = std::any_of(lines.begin(), lines.end(), has_tab);
  // What stands before tabs is the name in results, and in references may be one of one word.
  const bool words = role == CaptionRole::kReferences && words_before_tabs(lines);
  if (!words && !(role == CaptionRole::kResults && tabs)) refuse_mixed(lines, leads, reading, out);
  if (words && reading != LineReading::kCaptions) {
    if (reading == LineReading::kAsk)
      ask(out, *first, first->text.substr(0, first->text.find('\t')), "a reference of one word");
    return read_named(text, lines, {.separator = '\t'}, reading, out);
  }
  if (role == CaptionRole::kResults && tabs && reading != LineReading::kCaptions)
    return read_before_tabs(lines, out);
  const bool table = out.path.ends_with(".csv") || out.path.ends_with(".tsv");
  if (table && !tabs && reading != LineReading::kCaptions)
    throw DataError(str(place_of(out, *first),
                        ": the first line must name a column of images and one of captions, such "
                        "as image,caption; it is ",
                        shown(*first)));
  read_plain(std::move(lines), role, out);
}

}  // namespace saccade
