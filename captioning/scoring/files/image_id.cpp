#include "captioning/scoring/files/image_id.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "captioning/scoring/files/json_file.h"
#include "core/base/error.h"
#include "core/base/picture_names.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
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

}  // namespace

std::string image_name_of(std::string_view text) {
  std::string name = unicode::compose(text);
  std::replace(name.begin(), name.end(), '\\', '/');
  const bool odd = name.starts_with("./") || name.find("/./") != std::string::npos ||
                   name.find("//") != std::string::npos;
  return odd ? std::filesystem::path(name).lexically_normal().generic_string() : name;
}

std::string_view bare_name(std::string_view text) {
  text = trimmed(text);
  const auto hash = text.rfind('#');
  const bool numbered = hash != std::string_view::npos && is_number(text.substr(hash + 1)) &&
                        ends_as_picture(text.substr(0, hash));
  return numbered ? text.substr(0, hash) : text;
}

ImageId image_id(std::string_view text) {
  text = bare_name(text);
  const auto number = whole_number(text);
  const bool leading_zeros = text.size() > 1 && text[0] == '0' && is_number(text);
  if (number && !leading_zeros) return {.name = "", .number = number};
  return {.name = image_name_of(text), .number = number};
}

bool ends_as_picture(std::string_view name) {
  const std::filesystem::path path(name);
  return named_as_picture(path) || named_as_unread_picture(path);
}

std::string_view without_ending(std::string_view name) {
  return ends_as_picture(name) ? name.substr(0, name.rfind('.')) : name;
}

ImageId image_id_of(const JsonValue& value) {
  if (value.is_text()) return image_id(value.text());
  if (value.is_number()) return {.name = "", .number = value.integer()};
  throw DataError(value.place() +
                  ": expected an image's name or number, such as \"a.jpg\" or 42; got " +
                  value.type());
}

std::int64_t image_number_of(const JsonValue& value) {
  const ImageId id = image_id_of(value);
  if (!id.number)
    throw DataError(str(value.place(), ": expected a whole number; got '", id.name, "'"));
  return *id.number;
}

}  // namespace saccade
