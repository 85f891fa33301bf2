// Captions as the rules of PTB tokens read them: UTF-16 units, as in the Java original, and for
// each unit one byte that determines what it may be in a rule. This keeps Unicode out of the
// automaton: all letters beyond ASCII are one symbol, and all no-break spaces another.
#pragma once

#include <string>
#include <string_view>

#include "core/base/unicode.h"

namespace saccade::ptb {

// ASCII characters are their own symbols; the others are one of these.
enum class Symbol : unsigned char {
  kEnd = 0x00,    // never in a text, because a NUL is kInvisible
  kOther = 0x80,  // in no rule
  kUpperLetter,
  kOtherLetter,
  kMark,  // is part of a word without being a letter
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
  std::string symbols;  // one per unit
};

// Whether the original takes a character as a line end (LF, VT, FF, CR, NEL, U+2028, U+2029).
bool ends_line(unicode::CodePoint point);

// Appends a caption. Characters that would end a line become spaces, and bytes that are not UTF-8
// become U+FFFD.
void append_line(Text& text, std::string_view line);
void append_line_end(Text& text);

// Whether the symbols are nothing but white space.
bool is_blank(std::string_view symbols);

}  // namespace saccade::ptb
