// Reads files and their bases, and applies overrides.
#include <algorithm>
#include <fstream>
#include <span>

#include "core/base/foreign_file.h"
#include "core/base/suggest.h"
#include "core/base/unicode.h"
#include "core/config/read.h"

namespace saccade::config_detail {

namespace {

namespace fs = std::filesystem;

// Far more than any config needs, and still harmless.
constexpr std::size_t kMostBytes = 256 * 1024;
constexpr std::size_t kMostBases = 16;

// The line and column of a byte of a text.
Place place_of(std::string_view text, std::size_t offset, const std::string& source) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {source, static_cast<int>(lines) + 1, static_cast<int>(offset - line_start) + 1};
}

bool readable_text(std::string_view text, const std::string& source, Mistakes& mistakes) {
  std::size_t bad = unicode::invalid_utf8(text);
  if (bad != std::string_view::npos) {
    mistakes.add(place_of(text, bad, source), "not UTF-8 text; save the file as UTF-8");
    return false;
  }
  bad = text.find('\0');
  if (bad != std::string_view::npos) {
    mistakes.add(place_of(text, bad, source), "contains a zero byte; this is not a text file");
    return false;
  }
  return true;
}

// Suggests a file of the same folder with a similar name.
std::string nearby_file(const fs::path& file) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string extension = it->path().extension().string();
    if (extension == ".yaml" || extension == ".yml") {
      names.push_back(it->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return did_you_mean(file.filename().string(), names);
}

// Reads the text of a config file; false, with a mistake at `where`, when there is none.
bool read_file(const fs::path& file, const Place& where, Mistakes& mistakes, std::string& text) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  const std::string name = where.line > 0 ? "base file " + file.string() + " " : "";
  if (!fs::exists(status)) {
    mistakes.add(where, name + (error && error != std::errc::no_such_file_or_directory
                                    ? "cannot be opened: " + error.message()
                                    : "no such file" + nearby_file(file)));
    return false;
  }
  if (fs::is_directory(status)) {
    mistakes.add(where, name + "is a directory; a config is a YAML file");
    return false;
  }
  std::ifstream in(file, std::ios::binary);
  text.assign(kMostBytes + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in && !in.eof()) {
    mistakes.add(where, name + "cannot be read; check its permissions");
    return false;
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.empty()) return true;  // whoever parses it says so
  const auto head = std::as_bytes(std::span(text)).first(std::min(text.size(), kForeignHead));
  if (const std::string kind = foreign_file(head, file.string(), WantedFile::kConfig);
      !kind.empty()) {
    const char* remedy = kind.find(';') == std::string::npos ? "; a config is a YAML file" : "";
    mistakes.add(where, name + "is no config: " + kind + remedy);
    return false;
  }
  if (text.size() > kMostBytes) {
    mistakes.add(where, name + "is larger than 256 KiB; this is not a config");
    return false;
  }
  return true;
}

// One file of a chain of bases, of which the file itself is the first.
struct Layer {
  Node root;
  fs::path file;
};

// Moves the `base:` entry out of a tree; false when there is none.
bool take_base(Node& root, Node& base) {
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i].text != "base") continue;
    base = std::move(root.items[i]);
    root.keys.erase(root.keys.begin() + static_cast<std::ptrdiff_t>(i));
    root.items.erase(root.items.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

bool empty_document(const Node& root, const std::string& source, Mistakes& mistakes) {
  if (root.kind != Node::Kind::kNull) return false;
  if (mistakes.empty()) mistakes.add({source, 0, 0}, "the config is empty");
  return true;
}

std::vector<Layer> read_layers(const fs::path& first, Mistakes& mistakes) {
  std::vector<Layer> layers;
  fs::path file = first;
  Place named_at{first.string(), 0, 0};
  for (;;) {
    std::error_code error;
    for (const Layer& layer : layers) {
      if (!fs::equivalent(layer.file, file, error)) continue;
      mistakes.add(named_at, "base file " + file.string() + " inherits from itself: a cycle");
      return layers;
    }
    std::string text;
    if (!read_file(file, named_at, mistakes, text)) return layers;
    const std::string source = file.string();
    if (!readable_text(text, source, mistakes)) return layers;
    Mistakes syntax;
    Node root = parse_yaml(text, source, syntax);
    const bool clean = syntax.empty();
    mistakes.add_all(syntax);
    if (clean && empty_document(root, source, mistakes)) return layers;
    Node base;
    const bool has_base = take_base(root, base);
    layers.push_back({std::move(root), file});
    if (!has_base) return layers;
    if (base.kind != Node::Kind::kScalar || base.text.empty()) {
      mistakes.add(base.place, "base: expected the name of a YAML file");
      return layers;
    }
    if (layers.size() >= kMostBases) {
      mistakes.add(base.place, "base: more than 16 files in a chain");
      return layers;
    }
    named_at = base.place;
    file = file.parent_path() / base.text;
  }
}

// The value of an override as a node. For a scalar field, an unquoted text is taken literally, so
// that no character of a path or a name has a special meaning.
Node override_node(const std::string& text, bool scalar, const std::string& source,
                   Mistakes& mistakes) {
  const Place place{source, 0, 0};
  const bool quoted = !text.empty() && (text.front() == '"' || text.front() == '\'');
  Node node;
  node.place = place;
  if (scalar && !quoted) {
    if (text == "null" || text == "~") return node;
    node.kind = Node::Kind::kScalar;
    node.text = text;
    return node;
  }
  Mistakes syntax;
  node = parse_yaml(text, source, syntax);
  if (!syntax.empty()) {
    mistakes.add(place, "not valid YAML: " + text);
    return {};
  }
  return node;
}

// An override has no place in a file: none of its parts has a line.
void clear_places(Node& node, const std::string& source) {
  node.place = {source, 0, 0};
  for (Node::Key& key : node.keys) key.place = node.place;
  for (Node& item : node.items) clear_places(item, source);
}

}  // namespace

void load(Section& into, const fs::path& file, Origins& origins, Mistakes& mistakes) {
  std::vector<Layer> layers = read_layers(file, mistakes);
  for (std::size_t i = layers.size(); i-- > 0;) {  // the deepest base comes first
    const ReadContext context{into, origins, mistakes, i == 0 ? "" : "base "};
    origins.begin_layer();
    read_section(into, layers[i].root, "", context);
  }
}

void parse(Section& into, const std::string& text, const std::string& source, Origins& origins,
           Mistakes& mistakes) {
  if (!readable_text(text, source, mistakes)) return;
  const Node root = parse_yaml(text, source, mistakes);
  if (empty_document(root, source, mistakes)) return;
  origins.begin_layer();
  read_section(into, root, "", {into, origins, mistakes, ""});
}

void override_value(Section& into, const std::string& assignment, const std::string& source,
                    Origins& origins, Mistakes& mistakes) {
  const Place place{source + ": " + assignment, 0, 0};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    mistakes.add(place, "an override has the form key.path=value");
    return;
  }
  if (unicode::invalid_utf8(assignment) != std::string::npos) {
    mistakes.add({source, 0, 0}, "an override is not UTF-8 text");
    return;
  }
  const std::string path = assignment.substr(0, equals);
  Section* section = &into;
  std::string so_far;
  for (std::size_t start = 0;;) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string key = section->current_name(path.substr(start, dot - start));
    const Section::Field* field = section->find(key);
    const std::string rest = path.substr(start);
    if (field == nullptr && section->find_retired(rest) != nullptr) {
      const std::size_t before = mistakes.size();
      Node node = override_node(assignment.substr(equals + 1), true, place.source, mistakes);
      if (mistakes.size() == before) read_retired(*section, node, so_far, rest, mistakes);
      return;
    }
    if (field == nullptr) {
      mistakes.add(place, unknown_key(into, *section, so_far, key));
      return;
    }
    so_far += (so_far.empty() ? "" : ".") + key;
    const bool last = dot == path.size();
    if (last) {
      const bool scalar = field->slot != nullptr && field->slot->scalar();
      const std::size_t before = mistakes.size();
      Node node = override_node(assignment.substr(equals + 1), scalar, place.source, mistakes);
      if (mistakes.size() != before) return;
      clear_places(node, place.source);
      const ReadContext context{into, origins, mistakes, source};
      read_field(*field, node, so_far, context);
      return;
    }
    if (!field->section) {
      const std::string below = path.substr(dot + 1);
      const Slot::Below kind = field->slot->below(below);
      if (kind == Slot::Below::kNothing) {
        mistakes.add(place, "'" + so_far + "' is a value and has no key '" + below + "'");
        return;
      }
      const std::size_t before = mistakes.size();
      const std::string text = assignment.substr(equals + 1);
      const bool map_or_list = text.starts_with('{') || text.starts_with('[');
      Node node =
          override_node(text, kind == Slot::Below::kValue && !map_or_list, place.source, mistakes);
      if (mistakes.size() != before) return;
      clear_places(node, source);
      field->slot->read_below(below, node, so_far, place, mistakes);
      if (mistakes.size() == before) origins.set(so_far, source);
      return;
    }
    section = field->section.get();
    start = dot + 1;
  }
}

std::string outdated(const Section& root, const std::string& path) {
  const Section* section = &root;
  std::string now;
  for (std::size_t start = 0; section != nullptr && start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string key = section->current_name(path.substr(start, dot - start));
    const Section::Field* field = section->find(key);
    if (field == nullptr)
      return section->find_retired(path.substr(start)) != nullptr ? path + " was removed" : "";
    now += (now.empty() ? "" : ".") + key;
    section = field->section.get();
    start = dot + 1;
  }
  return now.empty() || now == path || path.starts_with(now + ".")
             ? ""
             : path + " is called " + now + " now";
}

}  // namespace saccade::config_detail
