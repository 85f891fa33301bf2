#include "core/config/node.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/message_line.h"

namespace saccade {

namespace {
constexpr std::size_t kMostLines = 40;  // a reader takes in no more at once
}

std::string Place::text() const {
  if (line <= 0) return source;
  return source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

void Mistakes::add(const Place& place, std::string text) {
  entries_.push_back({place, std::move(text)});
}

void Mistakes::add_all(const Mistakes& other) {
  entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
}

void Mistakes::throw_if_any() const {
  if (entries_.empty()) return;
  std::map<std::string, std::size_t> order;
  for (const Entry& entry : entries_) order.emplace(entry.place.source, order.size());
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Entry& a, const Entry& b) {
    const std::size_t first = order[a.place.source], second = order[b.place.source];
    if (first != second) return first < second;
    if (a.place.line != b.place.line) return a.place.line < b.place.line;
    return a.place.column < b.place.column;
  });
  std::string all;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostLines); ++i) {
    if (i > 0) all += '\n';
    std::string line = sorted[i].place.text() + ": " + sorted[i].text;
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < ' ') c = ' ';  // one mistake, one line
    }
    all += message_line(std::move(line));
  }
  if (sorted.size() > kMostLines) {
    all += "\n... and " + std::to_string(sorted.size() - kMostLines) + " more";
  }
  throw UsageError(all);
}

namespace {

// Whether a text without quotes, between the brackets of a list or map, is read as this scalar.
bool plain_in_flow(const std::string& text) {
  Mistakes mistakes;
  const Node list = parse_yaml("[" + text + "]", "", mistakes);
  return mistakes.empty() && list.items.size() == 1 && list.items[0].kind == Node::Kind::kScalar &&
         !list.items[0].quoted && list.items[0].text == text;
}

}  // namespace

std::string flow_text(const Node& node) {
  if (node.kind == Node::Kind::kNull) return "null";
  if (node.kind == Node::Kind::kScalar) {
    // A quoted number stays a string. What is plain in a block or on a command line may end in a
    // map on one line.
    return node.quoted || !plain_in_flow(node.text) ? yaml_text(node.text) : node.text;
  }
  const bool map = node.kind == Node::Kind::kMap;
  std::string out = map ? "{" : "[";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (map) out += yaml_text(node.keys[i].text) + ": ";
    out += flow_text(node.items[i]);
  }
  return out + (map ? "}" : "]");
}

}  // namespace saccade
