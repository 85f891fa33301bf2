#include "captioning/scoring/files/leading_id.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "captioning/scoring/files/image_id.h"

namespace saccade {

namespace {

using Text = std::string_view;

constexpr Text kMarks = "\t:,|;=";
constexpr std::array<Text, 6> kArrows = {"-->", "->", "=>", "→", "⇒", "⟶"};
constexpr std::array<Text, 1> kWideColon = {"："};
constexpr std::array<Text, 8> kDashes = {"--", "-", "–", "—", ">>", ">", "~", "•"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }
bool is_hexadecimal(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool holds(Text list, char c) { return list.find(c) != Text::npos; }

bool all_digits(Text text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The first of the texts with which the line goes on at `at`; empty where it does with none.
template <class List>
Text next_of(Text line, std::size_t at, const List& list) {
  for (const Text one : list)
    if (line.substr(std::min(at, line.size())).starts_with(one)) return one;
  return {};
}

// Whether a word before a number says that an image is numbered: "Image 7", "img_7".
bool numbers_images(Text word) {
  constexpr std::array<Text, 15> kWords = {"image", "img",    "photo",   "picture", "pic",
                                           "fig",   "figure", "frame",   "file",    "sample",
                                           "item",  "no",     "caption", "example", "id"};
  std::string lower;
  for (const char c : word) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

enum class Likeness { kWord, kMaybeName, kName };

// Whether a word without spaces is a name: words of captions hold few digits, and no underscores.
Likeness likeness(Text word) {
  constexpr std::size_t kShort = 5, kHash = 8, kLong = 10;
  constexpr std::ptrdiff_t kManyDigits = 3;
  if (!std::all_of(word.begin(), word.end(),
                   [](char c) { return is_alphanumeric(c) || holds("_-./\\", c); }))
    return Likeness::kWord;
  const auto digits = std::count_if(word.begin(), word.end(), is_digit);
  const bool letters = std::any_of(word.begin(), word.end(), is_letter);
  const bool hexadecimal =
      std::all_of(word.begin(), word.end(), [](char c) { return is_hexadecimal(c) || c == '-'; });
  if (digits == 0) return holds(word, '_') && letters ? Likeness::kMaybeName : Likeness::kWord;
  if (holds(word, '_') && word.size() >= kShort) return Likeness::kName;
  if (hexadecimal && letters && word.size() >= kHash) return Likeness::kName;
  if (letters && digits >= kManyDigits && word.size() >= kLong) return Likeness::kName;
  const bool many = digits >= kManyDigits && word.size() >= kShort;
  const std::size_t number = word.find_first_of("0123456789");
  Text stem = word.substr(0, number);
  if (stem.ends_with('_') || stem.ends_with('-')) stem.remove_suffix(1);
  // "scene1", "DSC01": where all lines begin so, they may be names.
  const bool numbered = !stem.empty() && std::all_of(stem.begin(), stem.end(), is_letter) &&
                        all_digits(word.substr(number));
  return many || numbered || holds(word, '_') ? Likeness::kMaybeName : Likeness::kWord;
}

// What stands between the name that ends at `end` and the rest of the line.
LeadingId separated(Text line, std::size_t end) {
  LeadingId out{.name = std::string(line.substr(0, end)), .rest = end};
  const std::size_t next = line.find_first_not_of(' ', end);
  if (next == Text::npos) {
    out.rest = line.size();
    return out;
  }
  std::size_t behind = next;
  const Text arrow = next_of(line, next, kArrows);
  const Text dash = next_of(line, next, kDashes);
  const Text wide = next_of(line, next, kWideColon);
  const std::size_t after_dash = next + dash.size();
  if (!arrow.empty()) {
    out.separator = '>';
    behind += arrow.size();
  } else if (!dash.empty() && next > end &&
             (after_dash == line.size() || line[after_dash] == ' ')) {
    out.separator = '-';
    behind = after_dash;
  } else if (!wide.empty()) {
    out.separator = ':';
    behind += wide.size();
  } else if (holds(kMarks, line[next])) {
    out.separator = line[next];
    ++behind;
  } else {
    out.separator = ' ';
  }
  out.rest = std::min(line.find_first_not_of(' ', behind), line.size());
  return out;
}

// Where the name of a picture that the line begins with ends; npos where there is none. The name
// may hold spaces.
std::size_t picture_end(Text line) {
  for (std::size_t dot = line.find('.'); dot != Text::npos; dot = line.find('.', dot + 1)) {
    std::size_t end = dot + 1;
    while (end < line.size() && is_alphanumeric(line[end])) ++end;
    const bool ends = end == line.size() || holds("\t:,|;= #", line[end]) ||
                      !next_of(line, end, kArrows).empty() ||
                      !next_of(line, end, kWideColon).empty();
    if (ends && ends_as_picture(line.substr(0, end))) return end;
  }
  return Text::npos;
}

// "a.jpg ...", "a.jpg#0 ...".
std::optional<LeadingId> picture_lead(Text line) {
  const std::size_t end = picture_end(line);
  if (end == Text::npos) return std::nullopt;
  std::size_t behind = end;
  if (end < line.size() && line[end] == '#')
    behind = std::min(line.find_first_not_of("0123456789", end + 1), line.size());
  LeadingId out = separated(line, behind);
  out.certain = out.picture = true;
  return out;
}

// "#1 ...", "Image 1: ...", "1) ...", "1. ...": a number that is marked as one.
std::optional<LeadingId> marked_number(Text line) {
  std::size_t at = 0;
  while (at < line.size() && is_letter(line[at])) ++at;
  const bool word = at > 0;
  if (word && (!numbers_images(line.substr(0, at)) || at == line.size())) return std::nullopt;
  const std::size_t stem = at;
  if (word && line[at] == '.') ++at;
  at = std::min(line.find_first_not_of(' ', at), line.size());
  const bool hash = at < line.size() && line[at] == '#';
  if (word && at == stem && !hash) return std::nullopt;  // "image1" is a name
  if (hash) ++at;
  const std::size_t end = std::min(line.find_first_not_of("0123456789", at), line.size());
  if (end == at) return std::nullopt;
  std::size_t close = end;
  while (close < line.size() && holds(".)]", line[close]) && close < end + 2) ++close;
  const bool spaced = close == line.size() || line[close] == ' ' || holds(kMarks, line[close]);
  LeadingId out;
  if (close > end && spaced) {
    out = separated(line, close);
    if (out.separator == ' ' || out.separator == 0) out.separator = line[end] == '.' ? '.' : ')';
    out.certain = true;
  } else if (word || hash) {
    out = separated(line, end);
    if (out.separator != 0 && out.rest == end) return std::nullopt;  // "#1a"
    out.certain = out.separator != ' ' && out.separator != 0;
  } else {
    return std::nullopt;
  }
  out.name = std::string(line.substr(at, end - at));
  out.counts = true;
  return out;
}

// A number or a name without an ending: "7, ...", "COCO_val2014_000000000042 | ...".
std::optional<LeadingId> word_lead(Text line) {
  std::size_t end = std::min(line.find_first_of("\t:,|;= "), line.size());
  for (const Text arrow : kArrows) end = std::min(end, std::min(line.find(arrow), line.size()));
  const Text word = line.substr(0, end);
  if (word.empty()) return std::nullopt;
  const bool number = all_digits(word);
  const Likeness like = likeness(word);
  LeadingId out = separated(line, end);
  const bool marked = out.separator != ' ' && out.separator != 0;
  if (!number && like == Likeness::kWord) {
    if (!marked || holds("\t,;", out.separator) || !is_alphanumeric(word.back()))
      return std::nullopt;
    out.any_word = true;
    return out;
  }
  // "12:30", "1,000", "2 - 3" and "7, or 8," may be numbers in captions.
  const Text rest = line.substr(out.rest);
  const bool digit = !rest.empty() && is_digit(rest[0]);
  const bool tight = digit && line[out.rest - 1] == out.separator;
  const bool clock = tight && out.separator == ':';
  const bool thousands =
      tight && out.separator == ',' && number && rest.size() >= 3 && all_digits(rest.substr(0, 3));
  const bool range = digit && out.separator == '-' && number;
  const bool listed = number && out.separator == ',' && line[out.rest - 1] == ' ';
  out.like_a_file = !number;
  out.certain = like == Likeness::kName || (marked && !clock && !thousands && !range && !listed);
  return out;
}

// A name in quotes or brackets: "\"a.jpg\": ...", "(a.jpg) ...", "[7] ...".
std::optional<LeadingId> enclosed_lead(Text line) {
  constexpr Text kOpen = "\"'`([<{", kClose = "\"'`)]>}";
  const std::size_t kind = line.empty() ? Text::npos : kOpen.find(line[0]);
  if (kind == Text::npos) return std::nullopt;
  const std::size_t close = line.find(kClose[kind], 1);
  if (close == Text::npos) return std::nullopt;
  const Text inner = line.substr(1, close - 1);
  auto lead = picture_lead(inner);
  if (!lead) lead = marked_number(inner);
  if (!lead) lead = word_lead(inner);
  const bool brackets = kind > 2;
  if (!lead && brackets) lead = enclosed_lead(inner);
  if (!lead || lead->any_word || lead->rest < inner.size()) return std::nullopt;
  LeadingId out = separated(line, close + 1);
  if (brackets && (out.separator == ' ' || out.separator == 0)) out.separator = '(';
  out.name = lead->name;
  out.picture = lead->picture;
  out.like_a_file = lead->like_a_file;
  out.counts = brackets && (lead->counts || all_digits(lead->name));
  out.certain = brackets || lead->picture || lead->certain || holds("\t:,|;=>-", out.separator);
  return out;
}

}  // namespace

std::optional<LeadingId> leading_id(Text line) {
  // A list may have points before its items.
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  std::size_t begin = first;
  for (const Text point : {"- ", "* ", "• "})
    if (line.substr(first).starts_with(point)) begin = first + point.size();
  begin = std::min(line.find_first_not_of(' ', begin), line.size());
  const Text rest = line.substr(begin);
  std::optional<LeadingId> out = enclosed_lead(rest);
  if (!out) out = marked_number(rest);
  if (!out) out = picture_lead(rest);
  if (!out) out = word_lead(rest);
  if (out && out->counts) {  // of "1. a.jpg: a dog", the name is a.jpg
    const Text behind = rest.substr(out->rest);
    auto name = enclosed_lead(behind);
    if (!name) name = picture_lead(behind);
    if (name && name->picture && name->name.find(' ') == std::string::npos) {
      begin += out->rest;
      out = name;
    }
  }
  if (out) out->rest += begin;
  return out;
}

bool holds_picture_name(Text line) {
  constexpr Text kBetween = " \t,;|()[]\"'";
  constexpr int kFirstWords = 3;  // behind a point of a list, a number or a word such as "Photo"
  int place = 0;
  for (std::size_t begin = line.find_first_not_of(kBetween); begin != Text::npos; ++place) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    const Text word = line.substr(begin, end - begin);
    begin = line.find_first_not_of(kBetween, end);
    if (begin == Text::npos && ends_as_picture(word)) return true;
    if (place >= kFirstWords) continue;
    for (std::size_t dot = word.find('.'); dot != Text::npos; dot = word.find('.', dot + 1)) {
      std::size_t stop = dot + 1;
      while (stop < word.size() && is_alphanumeric(word[stop])) ++stop;
      if (ends_as_picture(word.substr(0, stop))) return true;
    }
  }
  return false;
}

const char* lead_separator_name(char separator) {
  switch (separator) {
    case ':':
      return "a colon";
    case ' ':
      return "a space";
    case ',':
      return "a comma";
    case ';':
      return "a semicolon";
    case '|':
      return "a bar";
    case '=':
      return "an equals sign";
    case '>':
      return "an arrow";
    case '-':
      return "a dash";
    case ')':
    case '(':
      return "a bracket";
    case '.':
      return "a full stop";
    default:
      return "a tab";
  }
}

}  // namespace saccade
