#include "captioning/scoring/image_id.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "vision/images/picture_names.h"

namespace saccade {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The whole number that is the whole text, also where a table wrote it as a fraction: "7.0".
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.ends_with(".0")) text.remove_suffix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_picture(std::string_view name) {
  const std::filesystem::path path(name);
  return named_as_picture(path) || named_as_unread_picture(path);
}

// A word that no caption begins with, such as 1000268201_693b08cb0e.
bool looks_like_a_name(std::string_view word) {
  constexpr std::ptrdiff_t kManyDigits = 3;
  constexpr std::size_t kShortest = 5;
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return is_alphanumeric(c) || std::string_view("_-./\\").find(c) != std::string_view::npos;
  });
  const auto digits = std::count_if(word.begin(), word.end(), is_digit);
  const bool joined = word.find('_') != std::string_view::npos;
  return plain && word.size() >= kShortest && digits > 0 && (joined || digits >= kManyDigits);
}

// What stands between the name that ends at `end` and the rest of the line.
LeadingId separated(std::string_view line, std::size_t end) {
  LeadingId out{.name = std::string(line.substr(0, end)), .rest = end};
  const std::size_t next = line.find_first_not_of(' ', end);
  if (next == std::string_view::npos) {
    out.rest = line.size();
    return out;
  }
  const bool marked = std::string_view("\t:,|;").find(line[next]) != std::string_view::npos;
  out.separator = marked ? line[next] : ' ';
  const std::size_t after = line.find_first_not_of(' ', marked ? next + 1 : next);
  out.rest = std::min(after, line.size());
  return out;
}

// Where the name of a picture that the line begins with ends; npos where there is none. The name
// may hold spaces.
std::size_t picture_end(std::string_view line) {
  for (std::size_t dot = line.find('.'); dot != std::string_view::npos;
       dot = line.find('.', dot + 1)) {
    std::size_t end = dot + 1;
    while (end < line.size() && is_alphanumeric(line[end])) ++end;
    const bool ends = end == line.size() ||
                      std::string_view("\t:,|; #").find(line[end]) != std::string_view::npos;
    if (ends && is_picture(line.substr(0, end))) return end;
  }
  return std::string_view::npos;
}

}  // namespace

std::string image_name_of(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '\\', '/');
  const bool odd = name.starts_with("./") || name.find("/./") != std::string::npos ||
                   name.find("//") != std::string::npos;
  return odd ? std::filesystem::path(name).lexically_normal().generic_string() : name;
}

ImageId image_id(std::string_view text) {
  text = trimmed(text);
  const auto hash = text.rfind('#');
  if (hash != std::string_view::npos && all_digits(text.substr(hash + 1)) &&
      is_picture(text.substr(0, hash)))
    text = text.substr(0, hash);
  const auto number = whole_number(text);
  const bool leading_zeros = text.size() > 1 && text[0] == '0' && all_digits(text);
  if (number && !leading_zeros) return {.name = "", .number = number};
  return {.name = image_name_of(text), .number = number};
}

std::string_view without_ending(std::string_view name) {
  return is_picture(name) ? name.substr(0, name.rfind('.')) : name;
}

std::optional<LeadingId> leading_id(std::string_view line) {
  if (const std::size_t end = picture_end(line); end != std::string_view::npos) {
    std::size_t behind = end;  // of "a.jpg#0", too
    if (end < line.size() && line[end] == '#')
      behind = std::min(line.find_first_not_of("0123456789", end + 1), line.size());
    LeadingId out = separated(line, behind);
    out.certain = true;
    return out;
  }
  const std::size_t end = std::min(line.find_first_of("\t:,|; "), line.size());
  const std::string_view word = line.substr(0, end);
  if (!all_digits(word) && !looks_like_a_name(word)) return std::nullopt;
  LeadingId out = separated(line, end);
  // "12:30" and "1,000" may be numbers in captions.
  const std::string_view rest = line.substr(out.rest);
  const bool tight = !rest.empty() && is_digit(rest[0]) && line[out.rest - 1] == out.separator;
  const bool clock = tight && out.separator == ':';
  const bool thousands = tight && out.separator == ',' && all_digits(word) &&
                         all_digits(rest.substr(0, 3)) && rest.size() >= 3;
  out.certain = out.separator != ' ' && out.separator != 0 && !clock && !thousands;
  return out;
}

}  // namespace saccade
