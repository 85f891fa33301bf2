#include "captioning/text/ptb/symbols.h"

#include <array>
#include <utility>

#include "captioning/text/unicode.h"

namespace saccade::ptb {

namespace {

using unicode::CodePoint;

constexpr CodePoint kBmpEnd = 0x10000;  // beyond it a character is two units, neither has a rule

struct Group {
  Symbol symbol;
  std::vector<std::pair<CodePoint, CodePoint>> ranges;  // first, last
};

// What is neither a letter nor a digit for Unicode. The C1 controls stand for the characters that
// Windows-1252 has in their place.
std::vector<Group> groups() {
  return {
      {Symbol::kMark,
       {{0x02C2, 0x02C5},
        {0x02D2, 0x02DF},
        {0x02E5, 0x02FF},
        {0x0384, 0x0385},
        {0x03F6, 0x03F6},
        {0x055A, 0x055F},
        {0x06D6, 0x06EF}}},
      {Symbol::kSoftHyphen, {{0x00AD, 0x00AD}}},
      {Symbol::kNoBreakSpace, {{0x00A0, 0x00A0}}},
      {Symbol::kWideSpace, {{0x2000, 0x200A}, {0x3000, 0x3000}}},
      {Symbol::kInvisible, {{0x200B, 0x200B}, {0x200E, 0x200F}, {0xFEFF, 0xFEFF}}},
      {Symbol::kDash, {{0x0096, 0x0097}, {0x2013, 0x2015}}},
      {Symbol::kLeftApostrophe, {{0x0091, 0x0091}, {0x2018, 0x2018}, {0x201B, 0x201B}}},
      {Symbol::kRightApostrophe, {{0x0092, 0x0092}, {0x2019, 0x2019}}},
      {Symbol::kQuote,
       {{0x0093, 0x0094},
        {0x00AB, 0x00AB},
        {0x00BB, 0x00BB},
        {0x201A, 0x201A},
        {0x201C, 0x201F},
        {0x2039, 0x203A}}},
      {Symbol::kEllipsis, {{0x2026, 0x2026}}},
      {Symbol::kCurrency,
       {{0x0080, 0x0080},
        {0x00A2, 0x00A5},
        {0x060B, 0x060B},
        {0x0E3F, 0x0E3F},
        {0x20A0, 0x20A0},
        {0x20A4, 0x20A4},
        {0x20AC, 0x20AC},
        {0xFFE0, 0xFFE1},
        {0xFFE5, 0xFFE6}}},
      {Symbol::kFraction, {{0x00BC, 0x00BE}, {0x2153, 0x215E}}},
      {Symbol::kFractionSlash, {{0x2044, 0x2044}}},
      {Symbol::kArabicSeparator, {{0x066B, 0x066C}}},
      {Symbol::kSuperDigit,
       {{0x00B2, 0x00B3}, {0x00B9, 0x00B9}, {0x2070, 0x2070}, {0x2074, 0x2079}}},
      {Symbol::kSubDigit, {{0x2080, 0x2089}}},
      {Symbol::kRaisedSign, {{0x207A, 0x207B}, {0x208A, 0x208B}}},
      {Symbol::kComma, {{0x3001, 0x3001}}},
      {Symbol::kStop,
       {{0x00A1, 0x00A1},
        {0x00BF, 0x00BF},
        {0x037E, 0x037E},
        {0x0589, 0x0589},
        {0x061F, 0x061F},
        {0x06D4, 0x06D4},
        {0x0700, 0x0702},
        {0x3002, 0x3002}}},
      {Symbol::kHyphen, {{0x058A, 0x058A}, {0x2010, 0x2011}}},
      {Symbol::kSign,
       {{0x00A6, 0x00A9}, {0x00AC, 0x00AC}, {0x00AE, 0x00B1}, {0x00B4, 0x00B4}, {0x00B6, 0x00B8},
        {0x00D7, 0x00D7}, {0x00F7, 0x00F7}, {0x0387, 0x0387}, {0x05BE, 0x05BE}, {0x05C0, 0x05C0},
        {0x05C3, 0x05C3}, {0x05C6, 0x05C6}, {0x05F3, 0x05F4}, {0x0600, 0x0603}, {0x0606, 0x060A},
        {0x060C, 0x060C}, {0x0614, 0x0614}, {0x061B, 0x061B}, {0x061E, 0x061E}, {0x066A, 0x066A},
        {0x066D, 0x066D}, {0x0703, 0x070D}, {0x07F6, 0x07F8}, {0x0964, 0x0965}, {0x0E4F, 0x0E4F},
        {0x1FBD, 0x1FBD}, {0x2016, 0x2017}, {0x2020, 0x2023}, {0x2030, 0x2038}, {0x203B, 0x203B},
        {0x203E, 0x2042}, {0x207C, 0x207E}, {0x208C, 0x208E}, {0x2100, 0x214F}, {0x2190, 0x2BFF},
        {0x3012, 0x3012}, {0x30FB, 0x30FB}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40},
        {0xFF5B, 0xFF65}}},
  };
}

Symbol letter_or_digit(CodePoint point) {
  constexpr CodePoint kLastLaoMark = 0x0ECD;  // the original lists marks up to there
  switch (unicode::letter_class(point)) {
    case unicode::LetterClass::kUpper:
      return Symbol::kUpperLetter;
    case unicode::LetterClass::kOther:
      return Symbol::kOtherLetter;
    case unicode::LetterClass::kDigit:
      return Symbol::kDigit;
    case unicode::LetterClass::kMark:
      return point <= kLastLaoMark ? Symbol::kMark : Symbol::kOther;
    case unicode::LetterClass::kNone:
      break;
  }
  return Symbol::kOther;
}

using Table = std::array<char, kBmpEnd>;

Table make_table() {
  Table table{};
  const auto set = [&](CodePoint point, Symbol symbol) {
    table[static_cast<std::size_t>(point)] = static_cast<char>(symbol);
  };
  constexpr CodePoint kAsciiEnd = 0x80;
  for (CodePoint point = kAsciiEnd; point < kBmpEnd; ++point) set(point, letter_or_digit(point));
  for (const Group& group : groups()) {
    for (const auto& [first, last] : group.ranges) {
      for (CodePoint point = first; point <= last; ++point) {
        const Symbol symbol = letter_or_digit(point);
        if (symbol == Symbol::kOther || symbol == Symbol::kMark) set(point, group.symbol);
      }
    }
  }
  for (CodePoint point = 1; point < kAsciiEnd; ++point) {
    table[static_cast<std::size_t>(point)] = static_cast<char>(point);
  }
  set(0, Symbol::kInvisible);
  return table;
}

}  // namespace

bool ends_line(CodePoint point) {
  return (point >= 0x0A && point <= 0x0D) || point == 0x85 || point == 0x2028 || point == 0x2029;
}

void append_line_end(Text& text) {
  text.units.push_back('\n');
  text.symbols.push_back('\n');
}

void append_line(Text& text, std::string_view line) {
  static const Table table = make_table();
  for (CodePoint point : unicode::decode(line)) {
    if (ends_line(point)) point = ' ';
    if (point < kBmpEnd) {
      text.units.push_back(static_cast<char16_t>(point));
      text.symbols.push_back(table[static_cast<std::size_t>(point)]);
    } else {
      const CodePoint rest = point - kBmpEnd;
      text.units.push_back(static_cast<char16_t>(0xD800 + (rest >> 10)));
      text.units.push_back(static_cast<char16_t>(0xDC00 + (rest & 0x3FF)));
      text.symbols.append(2, static_cast<char>(Symbol::kOther));
    }
  }
}

}  // namespace saccade::ptb
