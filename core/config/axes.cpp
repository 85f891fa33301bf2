#include "core/config/axes.h"

#include "core/config/value.h"

namespace saccade {

namespace {

class AxesSlot : public Slot {
 public:
  explicit AxesSlot(Axes& axes) : axes_(axes) {}
  std::string type() const override { return "map from key path to list"; }
  bool scalar() const override { return false; }

  std::string text() const override {
    std::string out = "{";
    for (const Axis& axis : axes_) {
      if (out.size() > 1) out += ", ";
      out += yaml_text(axis.path) + ": [";
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        out += (i > 0 ? ", " : "") + axis.values[i];
      }
      out += "]";
    }
    return out + "}";
  }

  void read(const Node& node, const std::string& path, const Constraint&,
            Mistakes& mistakes) override {
    if (node.kind != Node::Kind::kMap) return expected(type(), node, path, mistakes);
    Axes axes;
    bool good = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& values = node.items[i];
      const std::string axis_path = path + "." + node.keys[i].text;
      Axis& axis = axes.emplace_back();
      axis.path = node.keys[i].text;
      if (values.kind != Node::Kind::kList || values.items.empty()) {
        expected("a list of the values to compare", values, axis_path, mistakes);
        good = false;
        continue;
      }
      for (const Node& value : values.items) axis.values.push_back(flow_text(value));
    }
    if (good) axes_ = std::move(axes);
  }

 private:
  Axes& axes_;
};

}  // namespace

std::unique_ptr<Slot> make_slot(Axes& axes) { return std::make_unique<AxesSlot>(axes); }

}  // namespace saccade
