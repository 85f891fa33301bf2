// Captions as the rules of PTB tokens read them: UTF-16 units, as in the Java original, and beside
// each unit one byte that says what it may be in a rule. This keeps Unicode out of the automaton:
// every letter beyond ASCII is one symbol, every no-break space is another.
#pragma once

#include <string>
#include <string_view>

#include "captioning/text/unicode.h"

namespace saccade::ptb {

// ASCII characters are their own symbols; the others are one of these.
enum class Symbol : unsigned char {
  kEnd = 0x00,    // in no text: a NUL is kInvisible
  kOther = 0x80,  // no rule has it
  kUpperLetter,
  kOtherLetter,
  kMark,  // part of a word without being a letter
  kDigit,
  kSoftHyphen,
  kNoBreakSpace,
  kWideSpace,
  kInvisible,
  kDash,
  kLeftApostrophe,
  kRightApostrophe,
  kQuote,
  kEllipsis,
  kCurrency,
  kFraction,
  kFractionSlash,
  kArabicSeparator,
  kSuperDigit,
  kSubDigit,
  kRaisedSign,
  kComma,
  kStop,
  kHyphen,
  kSign,
};

struct Text {
  std::u16string units;
  std::string symbols;  // one for each unit
};

// Whether a character ends a line for the original (LF, VT, FF, CR, NEL, U+2028, U+2029).
bool ends_line(unicode::CodePoint point);

// Appends a caption; what would end a line in it becomes a space, bytes that are no UTF-8 become
// U+FFFD.
void append_line(Text& text, std::string_view line);
void append_line_end(Text& text);

// Whether symbols are white space only.
bool is_blank(std::string_view symbols);

}  // namespace saccade::ptb
