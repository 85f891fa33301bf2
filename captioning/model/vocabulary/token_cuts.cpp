#include "captioning/model/vocabulary/token_cuts.h"

#include <array>
#include <unordered_map>

#include "captioning/model/vocabulary/published_tokens.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

using unicode::CodePoint;

// White space as Unicode defines it.
bool is_white(CodePoint point) {
  return unicode::is_space(point) && (point < 0x1C || point > 0x1F);
}

bool is_dropped(CodePoint point) {
  constexpr CodePoint kReplacement = 0xFFFD;
  if (point == '\t' || point == '\n' || point == '\r') return false;
  const std::string_view category = unicode::category(point);
  return point == kReplacement || category == "Cc" || category == "Cf" || category == "Co";
}

bool is_han(CodePoint point) {
  static constexpr std::pair<CodePoint, CodePoint> kRanges[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : kRanges)
    if (point >= first && point <= last) return true;
  return false;
}

// Symbols of ASCII count, too.
bool is_mark(CodePoint point) {
  const bool symbol = (point >= '!' && point <= '/') || (point >= ':' && point <= '@') ||
                      (point >= '[' && point <= '`') || (point >= '{' && point <= '~');
  return symbol || unicode::category(point)[0] == 'P';
}

std::string cleaned(std::string_view text, const TokenPlan& plan) {
  std::string out;
  for (const CodePoint point : unicode::decode(text)) {
    if (is_dropped(point)) continue;
    const bool alone = plan.splits_han && is_han(point);
    if (alone || is_white(point)) out += ' ';
    if (!is_white(point)) unicode::append(out, point);
    if (alone) out += ' ';
  }
  return out;
}

std::string lowered(const std::string& text, const TokenPlan& plan) {
  constexpr CodePoint kDottedI = 0x130;  // whose lower case is two characters
  std::string out;
  for (const CodePoint point :
       unicode::decode(plan.strips_accents ? unicode::decompose(text) : text)) {
    if (plan.strips_accents && unicode::category(point) == "Mn") continue;
    if (plan.lower && point == kDottedI)
      out += "i\xCC\x87";
    else
      unicode::append(out, plan.lower ? unicode::lower(point) : point);
  }
  return out;
}

// What runs of a text are made of.
enum class Run { kLetters, kNumbers, kWhite, kOthers };
Run run_of(CodePoint point) {
  if (is_white(point)) return Run::kWhite;
  const char category = unicode::category(point)[0];
  return category == 'L' ? Run::kLetters : category == 'N' ? Run::kNumbers : Run::kOthers;
}

struct Character {
  std::size_t begin;
  Run run;
};
std::vector<Character> characters_of_text(std::string_view text) {
  std::vector<Character> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    while (at + length < text.size() &&
           (static_cast<unsigned char>(text[at + length]) & 0xC0) == 0x80)
      ++length;
    out.push_back({at, run_of(unicode::decode(text.substr(at, length)).front())});
    at += length;
  }
  out.push_back({text.size(), Run::kWhite});
  return out;
}

std::size_t contraction_at(std::string_view text) {
  for (const std::string_view one : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(one)) return one.size();
  return 0;
}

constexpr std::size_t kBytes = 256;

// Bytes that are printable characters of Latin-1 stand for themselves; the others are numbered from
// 256 on.
struct ByteTable {
  std::array<CodePoint, kBytes> points{};
  std::unordered_map<CodePoint, char> bytes{};
  ByteTable() {
    CodePoint next = kBytes;
    for (std::size_t b = 0; b < kBytes; ++b) {
      const bool own = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b != 0xAD);
      points[b] = own ? static_cast<CodePoint>(b) : next++;
      bytes.emplace(points[b], static_cast<char>(b));
    }
  }
};
const ByteTable& byte_table() {
  static const ByteTable table;
  return table;
}

}  // namespace

std::vector<std::string> word_piece_words(std::string_view text, const TokenPlan& plan) {
  std::vector<std::string> words;
  bool open = false;
  for (const CodePoint point : unicode::decode(lowered(cleaned(text, plan), plan))) {
    if (is_white(point)) {
      open = false;
      continue;
    }
    const bool alone = is_mark(point);
    if (!open || alone) words.emplace_back();
    unicode::append(words.back(), point);
    open = !alone;
  }
  return words;
}

std::vector<std::string_view> byte_level_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  const std::vector<Character> all = characters_of_text(text);
  const std::size_t count = all.size() - 1;
  const auto end_of_run = [&](std::size_t first) {
    std::size_t end = first;
    while (end < count && all[end].run == all[first].run) ++end;
    return end;
  };
  for (std::size_t i = 0; i < count;) {
    const std::string_view rest = text.substr(all[i].begin);
    std::size_t end = i + contraction_at(rest);  // of ASCII characters
    if (end == i) {
      const bool led = rest[0] == ' ' && i + 1 < count && all[i + 1].run != Run::kWhite;
      end = end_of_run(led ? i + 1 : i);
      // The last of several white characters belongs to what follows.
      if (!led && all[i].run == Run::kWhite && end < count && end > i + 1) --end;
    }
    parts.push_back(text.substr(all[i].begin, all[end].begin - all[i].begin));
    i = end;
  }
  return parts;
}

std::string printable_bytes(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes)
    unicode::append(out, byte_table().points[static_cast<unsigned char>(byte)]);
  return out;
}

std::string bytes_of_printable(std::string_view text) {
  std::string out;
  for (const CodePoint point : unicode::decode(text))
    if (const auto found = byte_table().bytes.find(point); found != byte_table().bytes.end())
      out += found->second;
  return out;
}

std::string valid_text(std::string_view bytes) {
  std::string out;
  for (const CodePoint point : unicode::decode(bytes)) unicode::append(out, point);
  return out;
}

}  // namespace saccade
