// JsonValue: a read-only JSON document. Its errors name the file and the place in it ("x.json:
// images[3].id: expected an integer, got a string"). The JSON library is hidden behind it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace saccade {

struct JsonNode;

class JsonValue {
 public:
  // Parses a file. Throws DataError that names line and byte of the fault; `what` names the file's
  // role.
  static JsonValue parse_file(const std::filesystem::path& path, const std::string& what);

  // Parses the text of a file that was read before.
  static JsonValue parse(const std::string& text, const std::filesystem::path& path);

  // Whether a text is several lines that are JSON values each, and not one value.
  static bool is_lines(const std::string& text);
  // Parses JSON lines: one value on each line that is not blank. They are an array's elements.
  static JsonValue parse_lines(const std::string& text, const std::filesystem::path& path);

  // A member of an object. Throws DataError when it is missing or this is not an object.
  JsonValue operator[](const char* key) const;
  // A member of an object, or nothing where it is missing or null.
  std::optional<JsonValue> find(const char* key) const;
  // The elements of an array; size() throws DataError when this is not an array.
  std::size_t size() const;
  JsonValue at(std::size_t index) const;
  // The names of an object's members, sorted. Throws DataError when this is no object.
  std::vector<std::string> names() const;

  // The type of the value in JSON's words, for messages: "array", "boolean", ...
  std::string type() const;
  bool is_text() const;
  bool is_number() const;
  bool is_array() const;
  bool is_object() const;
  std::string text() const;      // of a string
  std::int64_t integer() const;  // of a whole number that fits, 7 or 7.0
  double number() const;
  // "file: images[3].id", the beginning of a message.
  std::string place() const;

 private:
  struct Document;
  JsonValue(std::shared_ptr<const Document> document, const JsonNode* value, std::string path);
  [[noreturn]] void refuse(const char* expected) const;
  std::string written() const;
  std::shared_ptr<const Document> document_;
  const JsonNode* value_;
  std::string path_;
};

// The names of the members of the outermost object of a JSON text, in the order of the text; a name
// that is there twice is listed twice. JsonValue keeps neither.
std::vector<std::string> json_member_names(const std::string& text);

}  // namespace saccade
