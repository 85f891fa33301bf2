#include "core/config/named_values.h"

#include <algorithm>

#include "core/base/listing.h"
#include "core/base/suggest.h"
#include "core/config/value.h"

namespace saccade {

namespace {

// A name must fit into one line, because tables and paths contain it.
bool good_name(const std::string& name) {
  return !name.empty() && std::none_of(name.begin(), name.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

class NamedValuesSlot : public Slot {
 public:
  explicit NamedValuesSlot(NamedValuesList& entries) : entries_(entries) {}
  std::string type() const override { return "map from name to map of key and value"; }
  bool scalar() const override { return false; }

  std::string text() const override {
    std::string out = "{";
    for (const NamedValues& entry : entries_) {
      out += (out.size() > 1 ? ", " : "") + yaml_text(entry.name) + ": {";
      for (std::size_t i = 0; i < entry.values.size(); ++i)
        out +=
            (i > 0 ? ", " : "") + yaml_text(entry.values[i].first) + ": " + entry.values[i].second;
      out += "}";
    }
    return out + "}";
  }

  void read(const Node& node, const std::string& path, const Constraint&,
            Mistakes& mistakes) override {
    if (node.kind != Node::Kind::kMap)
      return expected("a " + type() + ", such as {NAME: {KEY: VALUE}, OTHER: {KEY: VALUE}}", node,
                      path, mistakes);
    NamedValuesList entries;
    const std::size_t before = mistakes.size();
    for (std::size_t i = 0; i < node.items.size(); ++i)
      entries.push_back(read_entry(node.keys[i], node.items[i], path, mistakes));
    if (mistakes.size() == before) entries_ = std::move(entries);
  }

  Below below(const std::string& path) const override {
    const bool entry = has_entry(path) || path.find('.') == std::string::npos;
    return entry ? Below::kEntry : Below::kValue;
  }

  // Sets `NAME.KEY` of an entry that is there, whose key may have dots; or replaces or adds the
  // entry `NAME`.
  void read_below(const std::string& below, const Node& node, const std::string& path,
                  const Place& place, Mistakes& mistakes) override {
    if (this->below(below) == Below::kEntry) {
      const std::size_t before = mistakes.size();
      NamedValues entry = read_entry({.text = below, .place = node.place}, node, path, mistakes);
      if (mistakes.size() != before) return;
      const auto at = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const NamedValues& one) { return one.name == below; });
      if (at == entries_.end())
        entries_.push_back(std::move(entry));
      else
        *at = std::move(entry);
      return;
    }
    const std::size_t at = owner(below);
    if (at == entries_.size()) {
      mistakes.add(place, unknown_entry(below.substr(0, below.find('.')), path));
      return;
    }
    NamedValues& entry = entries_[at];
    const std::string key = below.substr(entry.name.size() + 1);
    const auto known = std::find_if(entry.values.begin(), entry.values.end(),
                                    [&](const auto& one) { return one.first == key; });
    if (known != entry.values.end())
      known->second = flow_text(node);
    else
      entry.values.emplace_back(key, flow_text(node));
    entry.places[key] = node.place;
  }

 private:
  static NamedValues read_entry(const Node::Key& key, const Node& values, const std::string& path,
                                Mistakes& mistakes) {
    if (!good_name(key.text))
      mistakes.add(key.place, path + ": an entry needs a name of one line, got '" + key.text + "'");
    if (values.kind != Node::Kind::kMap && values.kind != Node::Kind::kNull)
      expected("a map of keys and values", values, path + "." + key.text, mistakes);
    NamedValues entry{.name = key.text, .values = {}, .place = key.place};
    for (std::size_t v = 0; v < values.keys.size(); ++v)
      entry.values.emplace_back(values.keys[v].text, flow_text(values.items[v]));
    return entry;
  }

  bool has_entry(const std::string& name) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const NamedValues& entry) { return entry.name == name; });
  }

  // The entry of which `NAME.KEY` is a value: the one with the longest name, because names may have
  // dots. The number of entries where there is none.
  std::size_t owner(const std::string& path) const {
    std::size_t found = entries_.size();
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (path.starts_with(entries_[i].name + ".") &&
          (found == entries_.size() || entries_[i].name.size() > entries_[found].name.size()))
        found = i;
    return found;
  }

  std::string unknown_entry(const std::string& name, const std::string& path) const {
    std::vector<std::string> names;
    for (const NamedValues& entry : entries_) names.push_back(entry.name);
    return path + " has no entry '" + name + "'" + did_you_mean(name, names) + "; it " +
           (names.empty() ? "is empty" : "has " + join(names, ", ")) + ", and " + path + "." +
           name + "={...} adds one";
  }

  NamedValuesList& entries_;
};

}  // namespace

std::unique_ptr<Slot> make_slot(NamedValuesList& entries) {
  return std::make_unique<NamedValuesSlot>(entries);
}

}  // namespace saccade
