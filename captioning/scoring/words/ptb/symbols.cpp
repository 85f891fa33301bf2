#include "captioning/scoring/words/ptb/symbols.h"

#include <algorithm>
#include <array>

#include "core/base/unicode.h"

namespace saccade::ptb {

namespace {

using unicode::CodePoint;

constexpr CodePoint kBmpEnd = 0x10000;  // beyond it a character is two units without a rule

struct Group {
  Symbol symbol;
  std::u16string_view ranges;  // pairs: the first and the last character of each range
};

// Characters that Unicode counts neither as letters nor as digits. The C1 controls stand for the
// characters that Windows-1252 has in their place.
constexpr Group kGroups[] = {
    {Symbol::kMark,
     u"\u02C2\u02C5\u02D2\u02DF\u02E5\u02FF\u0384\u0385\u03F6\u03F6\u055A\u055F"
     u"\u06D6\u06EF"},
    {Symbol::kSoftHyphen, u"\u00AD\u00AD"},
    {Symbol::kNoBreakSpace, u"\u00A0\u00A0"},
    {Symbol::kWideSpace, u"\u2000\u200A\u3000\u3000"},
    {Symbol::kInvisible, u"\u200B\u200B\u200E\u200F\uFEFF\uFEFF"},
    {Symbol::kDash, u"\u0096\u0097\u2013\u2015"},
    {Symbol::kLeftApostrophe, u"\u0091\u0091\u2018\u2018\u201B\u201B"},
    {Symbol::kRightApostrophe, u"\u0092\u0092\u2019\u2019"},
    {Symbol::kQuote, u"\u0093\u0094\u00AB\u00AB\u00BB\u00BB\u201A\u201A\u201C\u201F\u2039\u203A"},
    {Symbol::kEllipsis, u"\u2026\u2026"},
    {Symbol::kCurrency,
     u"\u0080\u0080\u00A2\u00A5\u060B\u060B\u0E3F\u0E3F\u20A0\u20A0\u20A4\u20A4"
     u"\u20AC\u20AC\uFFE0\uFFE1\uFFE5\uFFE6"},
    {Symbol::kFraction, u"\u00BC\u00BE\u2153\u215E"},
    {Symbol::kFractionSlash, u"\u2044\u2044"},
    {Symbol::kArabicSeparator, u"\u066B\u066C"},
    {Symbol::kSuperDigit, u"\u00B2\u00B3\u00B9\u00B9\u2070\u2070\u2074\u2079"},
    {Symbol::kSubDigit, u"\u2080\u2089"},
    {Symbol::kRaisedSign, u"\u207A\u207B\u208A\u208B"},
    {Symbol::kComma, u"\u3001\u3001"},
    {Symbol::kStop,
     u"\u00A1\u00A1\u00BF\u00BF\u037E\u037E\u0589\u0589\u061F\u061F\u06D4\u06D4"
     u"\u0700\u0702\u3002\u3002"},
    {Symbol::kHyphen, u"\u058A\u058A\u2010\u2011"},
    {Symbol::kSign,
     u"\u00A6\u00A9\u00AC\u00AC\u00AE\u00B1\u00B4\u00B4\u00B6\u00B8\u00D7\u00D7"
     u"\u00F7\u00F7\u0387\u0387\u05BE\u05BE\u05C0\u05C0\u05C3\u05C3\u05C6\u05C6"
     u"\u05F3\u05F4\u0600\u0603\u0606\u060A\u060C\u060C\u0614\u0614\u061B\u061B"
     u"\u061E\u061E\u066A\u066A\u066D\u066D\u0703\u070D\u07F6\u07F8\u0964\u0965"
     u"\u0E4F\u0E4F\u1FBD\u1FBD\u2016\u2017\u2020\u2023\u2030\u2038\u203B\u203B"
     u"\u203E\u2042\u207C\u207E\u208C\u208E\u2100\u214F\u2190\u2BFF\u3012\u3012"
     u"\u30FB\u30FB\uFF01\uFF0F\uFF1A\uFF20\uFF3B\uFF40\uFF5B\uFF65"},
};

Symbol letter_or_digit(CodePoint point) {
  constexpr CodePoint kLastLaoMark = 0x0ECD;  // the original lists marks up to this one
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

using BmpTable = std::array<char, kBmpEnd>;

BmpTable make_table() {
  BmpTable table{};
  const auto set = [&](CodePoint point, Symbol symbol) {
    table[static_cast<std::size_t>(point)] = static_cast<char>(symbol);
  };
  constexpr CodePoint kAsciiEnd = 0x80;
  for (CodePoint point = kAsciiEnd; point < kBmpEnd; ++point) set(point, letter_or_digit(point));
  for (const Group& group : kGroups) {
    for (std::size_t i = 0; i < group.ranges.size(); i += 2) {
      for (CodePoint point = group.ranges[i]; point <= group.ranges[i + 1]; ++point) {
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
  static const BmpTable table = make_table();
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

bool is_blank(std::string_view symbols) {
  return std::all_of(symbols.begin(), symbols.end(), [](char c) {
    const auto symbol = static_cast<Symbol>(c);
    return c == ' ' || c == '\t' || symbol == Symbol::kNoBreakSpace || symbol == Symbol::kWideSpace;
  });
}

}  // namespace saccade::ptb
