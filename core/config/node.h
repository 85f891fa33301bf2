// A YAML document as a plain tree that records the place of each of its parts. It is all that the
// config layer sees of YAML; only yaml_parse.cpp and yaml_text.cpp use yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// Where something was written: a file with line and column, or a command-line override (line 0).
struct Place {
  std::string source;
  int line = 0;
  int column = 0;

  // `exp.yaml:14:9`, or only the source.
  std::string text() const;
};

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Key {
    std::string text;
    Place place;
  };

  Kind kind = Kind::kNull;
  Place place;
  std::string text;         // of a scalar
  bool quoted = false;      // a scalar in quotes, or a block scalar
  std::vector<Node> items;  // of a list or a map
  std::vector<Key> keys;    // of a map, one per item

  // The value under a key, or nullptr.
  const Node* find(std::string_view key) const;
};

// All mistakes in a config, to be reported at once.
class Mistakes {
 public:
  void add(const Place& place, std::string text);
  void add_all(const Mistakes& other);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  // Throws one UsageError with one line per mistake, in the order of the sources and their lines.
  void throw_if_any() const;

 private:
  struct Entry {
    Place place;
    std::string text;
  };
  std::vector<Entry> entries_;
};

// Reads one YAML document. Duplicate keys, cycles, aliases that expand excessively, `<<`, tags and
// syntax errors become mistakes; what could be read is returned.
Node parse_yaml(const std::string& text, const std::string& source, Mistakes& mistakes);

// A string as a YAML scalar, quoted where necessary; reading it gives the string back.
std::string yaml_text(const std::string& text);

// A node on one line, in flow style.
std::string flow_text(const Node& node);

}  // namespace saccade
