#include "core/base/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace saccade::unicode {

namespace {

// Most captions are ASCII, for which the library would take a third of the time that a data set of
// COCO's size needs to be read.
bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

// Reads one code point at `at`. Returns its length in bytes, or 0 for an invalid byte.
std::size_t next(std::string_view text, std::size_t at, CodePoint& point) {
  if (is_ascii(text[at])) {
    point = static_cast<unsigned char>(text[at]);
    return 1;
  }
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
  const auto length =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &point);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

std::string mapped(std::string_view text, utf8proc_option_t how) {
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  utf8proc_uint8_t* changed = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &changed,
                                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | how));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(changed, &std::free);
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(changed), static_cast<std::size_t>(length)};
}

}  // namespace

std::size_t invalid_utf8(std::string_view text) {
  CodePoint point = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = next(text, at, point);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::vector<CodePoint> decode(std::string_view text) {
  std::vector<CodePoint> out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    CodePoint point = 0;
    const std::size_t length = next(text, at, point);
    out.push_back(length == 0 ? 0xFFFD : point);
    at += length == 0 ? 1 : length;
  }
  return out;
}

void append(std::string& text, CodePoint point) {
  if (point >= 0 && point < 0x80) {
    text += static_cast<char>(point);
    return;
  }
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(point, bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

bool is_word_character(CodePoint point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

bool is_space(CodePoint point) {
  if ((point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x20)) return true;
  if (point == 0x85 || point == 0x2028 || point == 0x2029) return true;
  return utf8proc_category(point) == UTF8PROC_CATEGORY_ZS;
}

bool is_control(CodePoint point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x2028 || point == 0x2029;
}

bool is_invisible(CodePoint point) { return utf8proc_get_property(point)->ignorable != 0; }

CodePoint lower(CodePoint point) { return utf8proc_tolower(point); }
CodePoint upper(CodePoint point) { return utf8proc_toupper(point); }

LetterClass letter_class(CodePoint point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
      return LetterClass::kUpper;
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return LetterClass::kOther;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return LetterClass::kMark;
    case UTF8PROC_CATEGORY_ND:
      return LetterClass::kDigit;
    default:
      return LetterClass::kNone;
  }
}

std::string_view category(CodePoint point) { return utf8proc_category_string(point); }

std::string compose(std::string_view text) { return mapped(text, UTF8PROC_COMPOSE); }
std::string decompose(std::string_view text) { return mapped(text, UTF8PROC_DECOMPOSE); }

}  // namespace saccade::unicode
