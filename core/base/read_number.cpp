#include "core/base/read_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>

namespace saccade {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr double kInteger = 9223372036854775808.0;  // 2^63

bool is_digit(char c) { return kDigits.find(c) != std::string_view::npos; }

// The bytes of a character of UTF-8, and its number.
struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t bytes = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (bytes > text.size()) return {};
  std::uint32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (byte(i) & 0x3FU);
  return {bytes, code};
}

// The text with the digits, signs and points of ASCII, and with _ for what separates groups of
// digits. Other characters stay.
std::string in_ascii(std::string_view text) {
  // The zeros of Arabic, Persian, Devanagari, Bengali, Thai and full-width digits.
  constexpr std::uint32_t kZeros[] = {0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50, 0xFF10};
  struct Like {
    std::uint32_t code;
    char ascii;
  };
  // No-break, thin and narrow spaces, quotes; minus signs; Arabic's and full-width points.
  constexpr Like kLike[] = {{' ', '_'},    {'\'', '_'},   {0xA0, '_'},   {0x2009, '_'},
                            {0x202F, '_'}, {0x2019, '_'}, {0x066C, '_'}, {0x2212, '-'},
                            {0xFF0D, '-'}, {0x066B, '.'}, {0xFF0E, '.'}, {0xFF0C, ','}};
  std::string out;
  while (!text.empty()) {
    const auto [bytes, code] = first_character(text);
    const auto is_code = [code = code](const Like& like) { return like.code == code; };
    const auto* zero = std::find_if(std::begin(kZeros), std::end(kZeros),
                                    [code = code](auto z) { return code >= z && code < z + 10; });
    const auto* like = std::find_if(std::begin(kLike), std::end(kLike), is_code);
    if (zero != std::end(kZeros))
      out += kDigits[code - *zero];
    else if (like != std::end(kLike))
      out += like->ascii;
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

// Removes each _ between two digits.
std::string without_groups(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between =
        i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (text[i] != '_' || !between) out += text[i];
  }
  return out;
}

// Whether every comma stands in front of three digits, and the first behind one to three that do
// not begin with 0, as in 1,000,000.
bool has_groups(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t first = text.find(',');
  if (first == 0 || first > 3 || text[0] == '0') return false;
  for (std::size_t at = first; at != std::string_view::npos; at = text.find(',', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    const std::size_t digits = std::min(rest.find_first_not_of(kDigits), rest.size());
    if (digits != 3 || (digits < rest.size() && rest[digits] != ',' && rest[digits] != '.'))
      return false;
  }
  return true;
}

std::string replaced(std::string text, const std::string& what) {
  for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos;)
    text.replace(at, 1, what);
  return text;
}

// 0x1F, 0o17 and 0b11 as decimals; "" for other texts.
std::string of_other_base(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() < 3 || text[0] != '0') return "";
  const char mark = text[1];
  const int base = mark == 'x' || mark == 'X' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  if (base == 0) return "";
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + 2, end, value, base);
  if (rest != end || error != std::errc{}) return "";
  return (negative && value > 0 ? "-" : "") + std::to_string(value);
}

struct Meaning {
  std::string text;   // as a config has it, where it is a number
  std::string other;  // where it may mean another number, too
};

// What a text means, where it is a number in another form; otherwise the text.
Meaning meaning_of(std::string_view text) {
  std::string plain = without_groups(in_ascii(text));
  if (const std::string decimal = of_other_base(plain); !decimal.empty()) return {decimal, {}};
  if (plain.starts_with('+')) plain.erase(0, 1);
  const auto commas = std::count(plain.begin(), plain.end(), ',');
  const auto points = std::count(plain.begin(), plain.end(), '.');
  const bool point = points > 0, groups = commas > 0 && has_groups(plain);
  if (commas == 1 && groups && !point) return {replaced(plain, ""), replaced(plain, ".")};
  if (groups) return {replaced(plain, ""), {}};
  if ((commas == 1 && point) || points > 1) {  // 1.000,5 and 1.000.000
    std::string swapped = plain;
    for (char& c : swapped) c = c == '.' ? ',' : c == ',' ? '.' : c;
    if (has_groups(swapped)) return {replaced(swapped, ""), {}};
  }
  if (commas == 1 && !point) return {replaced(plain, "."), {}};
  return {plain, {}};
}

enum class Size { kNone, kFits, kTooLarge, kTooSmall };

// Reads a whole text as a double, or says why it is none.
Size read_double(const std::string& text, double& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end || error == std::errc::invalid_argument) return Size::kNone;
  if (error == std::errc{}) return std::isfinite(value) ? Size::kFits : Size::kNone;
  std::istringstream stream(text);  // it gives the largest double, or one next to 0
  stream.imbue(std::locale::classic());
  stream >> value;
  return std::abs(value) > 1 ? Size::kTooLarge : Size::kTooSmall;
}

// A leading zero would be the next mistake.
bool may_be_written(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() < 2 || text[0] != '0' || !is_digit(text[1]);
}

std::string too_large(bool negative) {
  const std::string limit = std::to_string(negative ? std::numeric_limits<std::int64_t>::min()
                                                    : std::numeric_limits<std::int64_t>::max());
  return negative ? "is too far below 0 for an integer of 64 bits, which goes down to " + limit
                  : "is too large for an integer of 64 bits, which goes up to " + limit;
}

bool is_infinite_or_nan(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  lower.erase(0, lower.find_first_not_of("+-."));
  return lower == "inf" || lower == "infinity" || lower == "nan";
}

std::string whole(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

// Why a text is no integer of 64 bits, with what to write instead where the text leaves no doubt.
std::string not_an_integer(std::string_view text) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const Meaning meaning = meaning_of(text);
  const std::string wrong = "is not an integer";
  double value = 0;
  const Size size = read_double(meaning.text, value);
  if (is_infinite_or_nan(text)) return wrong + "; write one in digits";
  if (size == Size::kNone || !may_be_written(meaning.text)) return wrong;
  const bool negative = meaning.text.starts_with('-');
  if (size == Size::kTooLarge || std::abs(value) >= kInteger) return too_large(negative);
  if (size == Size::kTooSmall) return wrong + "; write 0";
  const bool digits = meaning.text.find_first_not_of("-0123456789") == std::string::npos;
  if (digits) return wrong + "; write " + meaning.text;
  if (std::abs(value) >= kExact) return wrong + "; write all of its digits";
  if (value == std::floor(value)) return wrong + "; write " + whole(value);
  return wrong + "; write " + whole(std::floor(value)) + " or " + whole(std::ceil(value));
}

// The same for numbers. The text is no finite double.
std::string not_a_double(std::string_view text) {
  const Meaning meaning = meaning_of(text);
  double value = 0;
  switch (read_double(meaning.text, value)) {
    case Size::kTooLarge:
      return meaning.text.starts_with('-')
                 ? "is too far below 0 for a double, which goes down to -1.797e308"
                 : "is too large for a double, which goes up to 1.797e308";
    case Size::kTooSmall:
      return "is closer to 0 than a double can be; write 0, or a number from 1e-307 on";
    case Size::kFits:
      if (!may_be_written(meaning.text)) break;
      return "is not a number; write " + meaning.text +
             (meaning.other.empty() ? "" : " or " + meaning.other);
    case Size::kNone:
      break;
  }
  return is_infinite_or_nan(text) ? "is not a finite number; write one in digits"
                                  : "is not a number";
}

// Whether YAML readers disagree about a number: `010` is 8 to some of them and 10 to others.
bool octal_looking(std::string_view digits) {
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
}

// Sets the value of `out`, or says what is wrong; `why_not` says it of a text that is none.
template <class Read>
Read read_whole(std::string_view text, std::string (*why_not)(std::string_view)) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if (octal_looking(text))
    return {.wrong = "has a leading zero, which YAML reads as octal; remove the zero"};
  Read out;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
  const bool whole = rest == text.data() + text.size() && error == std::errc{};
  if (!whole || !std::isfinite(static_cast<double>(out.value))) return {.wrong = why_not(text)};
  return out;
}

}  // namespace

ReadNumber read_number(std::string_view text) { return read_whole<ReadNumber>(text, not_a_double); }

ReadCount read_count(std::string_view text) { return read_whole<ReadCount>(text, not_an_integer); }

}  // namespace saccade
