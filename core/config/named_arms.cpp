#include "core/config/named_arms.h"

#include <algorithm>

#include "core/config/value.h"

namespace saccade {

namespace {

// A name must fit into one line, because tables and paths contain it.
bool good_name(const std::string& name) {
  return !name.empty() && std::none_of(name.begin(), name.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

class NamedArmsSlot : public Slot {
 public:
  explicit NamedArmsSlot(NamedArms& arms) : arms_(arms) {}
  std::string type() const override { return "map from name to map of key path and value"; }
  bool scalar() const override { return false; }

  std::string text() const override {
    std::string out = "{";
    for (const NamedArm& arm : arms_) {
      out += (out.size() > 1 ? ", " : "") + yaml_text(arm.name) + ": {";
      for (std::size_t i = 0; i < arm.values.size(); ++i)
        out += (i > 0 ? ", " : "") + yaml_text(arm.values[i].first) + ": " + arm.values[i].second;
      out += "}";
    }
    return out + "}";
  }

  void read(const Node& node, const std::string& path, const Constraint&,
            Mistakes& mistakes) override {
    if (node.kind != Node::Kind::kMap) return expected(type(), node, path, mistakes);
    NamedArms arms;
    const std::size_t before = mistakes.size();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& values = node.items[i];
      const Node::Key& key = node.keys[i];
      if (!good_name(key.text))
        mistakes.add(key.place, path + ": an arm needs a name of one line, got '" + key.text + "'");
      if (values.kind != Node::Kind::kMap && values.kind != Node::Kind::kNull)
        expected("a map of the values that make the arm", values, path + "." + key.text, mistakes);
      NamedArm& arm = arms.emplace_back(NamedArm{.name = key.text, .values = {}});
      arm.place = key.place;
      for (std::size_t v = 0; v < values.keys.size(); ++v)
        arm.values.emplace_back(values.keys[v].text, flow_text(values.items[v]));
    }
    if (mistakes.size() == before) arms_ = std::move(arms);
  }

 private:
  NamedArms& arms_;
};

}  // namespace

std::unique_ptr<Slot> make_slot(NamedArms& arms) { return std::make_unique<NamedArmsSlot>(arms); }

}  // namespace saccade
