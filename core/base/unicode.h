// What the text code needs of Unicode: UTF-8 in and out, letters, lower case, white space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::unicode {

using CodePoint = std::int32_t;

// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t invalid_utf8(std::string_view text);

// The code points of a text; every invalid byte becomes U+FFFD.
std::vector<CodePoint> decode(std::string_view text);
void append(std::string& text, CodePoint point);

// Letters, digits, and the marks that combine with them.
bool is_word_character(CodePoint point);
// White space as Python's str.split() defines it.
bool is_space(CodePoint point);
// C0 and C1 control characters, and the line and paragraph separators.
bool is_control(CodePoint point);
// Characters of format that leave no trace (Default_Ignorable_Code_Point): soft hyphens, joiners,
// marks of direction, zero-width spaces, variation selectors.
bool is_invisible(CodePoint point);
CodePoint lower(CodePoint point);
CodePoint upper(CodePoint point);

// What a character can be in a word. Digits are decimal digits.
enum class LetterClass { kNone, kUpper, kOther, kMark, kDigit };
LetterClass letter_class(CodePoint point);

// A character's general category: two letters, of which the first is L for letters, M for marks, N
// for numbers, P for punctuation, S for symbols, Z for separators and C for all others.
std::string_view category(CodePoint point);

// The canonical composition (NFC), which gives é one spelling, and decomposition (NFD), in which
// accents stand by themselves. Text that is not valid UTF-8 is returned as it is.
std::string compose(std::string_view text);
std::string decompose(std::string_view text);

}  // namespace saccade::unicode
