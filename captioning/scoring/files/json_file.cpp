#include "captioning/scoring/files/json_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "captioning/scoring/files/json_document.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"

namespace saccade {

using nlohmann::json;

namespace {

// The library's message without the prefixes that the library adds.
std::string reason(const json::parse_error& error) {
  std::string text = error.what();
  const auto colon = text.find(": ");
  if (colon != std::string::npos) text.erase(0, colon + 2);
  return text.substr(0, 200);
}

// "", or what to do where the text that was refused up to this byte is a dictionary that Python
// printed: its strings have single quotes.
std::string remedy(const std::string& text, std::size_t refused) {
  const std::size_t last = refused == 0 ? 0 : refused - 1;
  const bool single = last < text.size() && text[last] == '\'';
  return single ? "; JSON has double quotes: write the file with Python's json.dump, not with str "
                  "or print"
                : "";
}

// Keeps the names of the members of the outermost object.
struct MemberNames : json::json_sax_t {
  std::vector<std::string> names;
  int depth = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth > 0; }
  bool end_object() override { return --depth >= 0; }
  bool start_array(std::size_t) override { return ++depth > 0; }
  bool end_array() override { return --depth >= 0; }
  bool key(string_t& name) override {
    if (depth == 1) names.push_back(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }
};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

struct JsonValue::Document {
  std::string file;
  JsonDocument content;
};

JsonValue::JsonValue(std::shared_ptr<const Document> document, const JsonNode* value,
                     std::string path)
    : document_(std::move(document)), value_(value), path_(std::move(path)) {}

JsonValue JsonValue::parse_file(const std::filesystem::path& path, const std::string& what) {
  const std::string text = read_text(path, what);
  refuse_foreign_text(text, path, what);
  return parse(text, path);
}

JsonValue JsonValue::parse(const std::string& text, const std::filesystem::path& path) {
  auto document = std::make_shared<Document>();
  document->file = path.string();
  try {
    document->content = JsonDocument::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t byte = std::min(error.byte, text.size());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
    throw DataError(str(path.string(), ":", 1 + std::count(text.begin(), end, '\n'),
                        ": broken JSON at byte ", byte, " of ", text.size(), ": ", reason(error),
                        remedy(text, byte)));
  } catch (const json::exception& error) {
    throw DataError(str(path.string(), ": broken JSON: ", error.what()));
  }
  const JsonNode* root = &document->content.root();
  return {std::move(document), root, ""};
}

JsonValue JsonValue::parse_lines(const std::string& text, const std::filesystem::path& path) {
  std::string list = "[";
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (!is_blank(line)) {
      list.append(first ? "" : ",").append(line);
      first = false;
    }
    list += '\n';  // so that messages name the right line
    at = end + 1;
  }
  return parse(list + "]", path);
}

std::string JsonValue::place() const {
  return path_.empty() ? document_->file : document_->file + ": " + path_;
}

JsonValue JsonValue::operator[](const char* key) const {
  auto value = find(key);
  if (!value) throw DataError(str(place(), ": '", key, "' is missing"));
  return *std::move(value);
}

void JsonValue::refuse(const char* expected) const {
  throw DataError(str(place(), ": expected ", expected, ", got ", type()));
}

std::optional<JsonValue> JsonValue::find(const char* key) const {
  if (!is_object()) refuse("an object");
  const JsonNode* const found = document_->content.find(*value_, key);
  if (!found || found->kind == JsonKind::null) return std::nullopt;
  return JsonValue(document_, found, path_.empty() ? key : path_ + "." + key);
}

std::size_t JsonValue::size() const {
  if (!is_array()) refuse("an array");
  return value_->count;
}

std::vector<std::string> JsonValue::names() const {
  if (!is_object()) refuse("an object");
  std::vector<std::string> out;
  for (const JsonDocument::Member& member : document_->content.members(*value_))
    out.push_back(document_->content.name(member));
  return out;
}

JsonValue JsonValue::at(std::size_t index) const {
  SACCADE_ASSERT(index < size(), "JSON array index ", index);
  return {document_, &document_->content.elements(*value_)[index],
          path_ + "[" + std::to_string(index) + "]"};
}

std::string JsonValue::type() const { return json(value_->kind).type_name(); }
bool JsonValue::is_text() const { return value_->kind == JsonKind::string; }
bool JsonValue::is_number() const {
  return value_->kind == JsonKind::number_float || value_->kind == JsonKind::number_integer ||
         value_->kind == JsonKind::number_unsigned;
}
bool JsonValue::is_array() const { return value_->kind == JsonKind::array; }
bool JsonValue::is_object() const { return value_->kind == JsonKind::object; }

std::string JsonValue::text() const {
  if (!is_text()) refuse("a string");
  return std::string(document_->content.text(*value_));
}

// The value as JSON writes it; lists and objects are not written.
std::string JsonValue::written() const {
  switch (value_->kind) {
    case JsonKind::string:
      return json(text()).dump();
    case JsonKind::boolean:
      return json(value_->bits != 0).dump();
    case JsonKind::null:
      return "null";
    case JsonKind::number_integer:
      return json(value_->whole()).dump();
    case JsonKind::number_unsigned:
      return json(value_->bits).dump();
    case JsonKind::number_float:
      return json(value_->real()).dump();
    default:
      return "";
  }
}

std::int64_t JsonValue::integer() const {
  constexpr double kExact = 0x1p53;  // whole numbers up to here are exact in a double
  constexpr std::size_t kMostShown = 40;
  if (value_->kind == JsonKind::number_float) {
    // Tables with gaps are often kept as doubles, and written as 7.0.
    const double number = value_->real();
    if (std::abs(number) <= kExact && number == std::trunc(number))
      return static_cast<std::int64_t>(number);
  } else if (value_->kind == JsonKind::number_integer) {
    return value_->whole();
  } else if (value_->kind == JsonKind::number_unsigned && value_->bits <= INT64_MAX) {
    return static_cast<std::int64_t>(value_->bits);
  }
  const std::string shown = written();
  throw DataError(str(place(), ": expected an integer, without a fraction and without quotes; got ",
                      type(), shown.empty() ? "" : " ", shown.substr(0, kMostShown)));
}

double JsonValue::number() const {
  if (value_->kind == JsonKind::number_float) return value_->real();
  if (value_->kind == JsonKind::number_integer) return static_cast<double>(value_->whole());
  if (value_->kind == JsonKind::number_unsigned) return static_cast<double>(value_->bits);
  refuse("a number");
}

bool JsonValue::is_lines(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  return !is_blank(std::string_view(text).substr(end)) &&
         json::accept(text.substr(begin, end - begin));
}

std::vector<std::string> json_member_names(const std::string& text) {
  MemberNames reader;
  json::sax_parse(text, &reader);
  return std::move(reader.names);
}

}  // namespace saccade
