#include "core/config/named_values.h"

#include <algorithm>

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
    if (node.kind != Node::Kind::kMap) return expected(type(), node, path, mistakes);
    NamedValuesList entries;
    const std::size_t before = mistakes.size();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& values = node.items[i];
      const Node::Key& key = node.keys[i];
      if (!good_name(key.text))
        mistakes.add(key.place,
                     path + ": an entry needs a name of one line, got '" + key.text + "'");
      if (values.kind != Node::Kind::kMap && values.kind != Node::Kind::kNull)
        expected("a map of keys and values", values, path + "." + key.text, mistakes);
      NamedValues& entry = entries.emplace_back(NamedValues{.name = key.text, .values = {}});
      entry.place = key.place;
      for (std::size_t v = 0; v < values.keys.size(); ++v)
        entry.values.emplace_back(values.keys[v].text, flow_text(values.items[v]));
    }
    if (mistakes.size() == before) entries_ = std::move(entries);
  }

  // Sets `NAME.KEY` of an entry that is there; the key may have dots.
  bool read_below(const std::string& below, const Node& node) override {
    for (NamedValues& entry : entries_) {
      if (!below.starts_with(entry.name + ".")) continue;
      const std::string key = below.substr(entry.name.size() + 1);
      const auto known = std::find_if(entry.values.begin(), entry.values.end(),
                                      [&](const auto& one) { return one.first == key; });
      if (known != entry.values.end())
        known->second = flow_text(node);
      else
        entry.values.emplace_back(key, flow_text(node));
      return true;
    }
    return false;
  }

 private:
  NamedValuesList& entries_;
};

}  // namespace

std::unique_ptr<Slot> make_slot(NamedValuesList& entries) {
  return std::make_unique<NamedValuesSlot>(entries);
}

}  // namespace saccade
