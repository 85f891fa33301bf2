// JsonDocument: what a JSON text says, in little more memory than the text takes, as a data set of
// half a million captions needs it. Private to JsonValue.
#pragma once

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

using JsonKind = nlohmann::json::value_t;

// One value. What arrays, objects and strings consist of lies in the document.
struct JsonNode {
  JsonKind kind = JsonKind::null;
  std::uint32_t count = 0;  // of bytes, elements or members
  std::uint64_t bits = 0;   // where they begin; of a number or a truth, its value

  std::int64_t whole() const { return std::bit_cast<std::int64_t>(bits); }
  double real() const { return std::bit_cast<double>(bits); }
};

class JsonDocument {
 public:
  struct Member {
    std::uint32_t name;  // in names_
    JsonNode value;
  };

  // Of an object, in the order of their names; of a name that is there twice, the last.
  std::span<const Member> members(const JsonNode& object) const {
    return std::span(members_).subspan(object.bits, object.count);
  }
  std::span<const JsonNode> elements(const JsonNode& array) const {
    return std::span(elements_).subspan(array.bits, array.count);
  }
  std::string_view text(const JsonNode& string) const {
    return std::string_view(texts_).substr(string.bits, string.count);
  }
  const std::string& name(const Member& member) const { return names_[member.name]; }
  // The member of this name, or null where there is none.
  const JsonNode* find(const JsonNode& object, std::string_view name) const;
  const JsonNode& root() const { return root_; }

  // Throws json::parse_error, or another json::exception for numbers that no double holds.
  static JsonDocument parse(const std::string& text);

 private:
  friend class JsonBuilder;

  JsonNode root_;
  std::vector<JsonNode> elements_;  // of every array, one after the other
  std::vector<Member> members_;     // of every object
  std::string texts_;
  std::vector<std::string> names_;
};

}  // namespace saccade
