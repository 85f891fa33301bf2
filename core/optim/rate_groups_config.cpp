#include "core/optim/rate_groups_config.h"

#include "core/config/value.h"

namespace saccade {

namespace {

class RateGroupsSlot : public Slot {
 public:
  explicit RateGroupsSlot(RateGroups& groups) : groups_(groups) {}
  std::string type() const override { return "map from prefix of parameter names to number"; }
  bool scalar() const override { return false; }

  std::string text() const override {
    std::string out = "{";
    for (const RateGroup& group : groups_)
      out +=
          (out.size() > 1 ? ", " : "") + yaml_text(group.prefix) + ": " + print_value(group.factor);
    return out + "}";
  }

  void read(const Node& node, const std::string& path, const Constraint& constraint,
            Mistakes& mistakes) override {
    if (node.kind != Node::Kind::kMap) return expected(type(), node, path, mistakes);
    RateGroups groups;
    bool good = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      RateGroup& group = groups.emplace_back();
      group.prefix = node.keys[i].text;
      good = read_scalar(node.items[i], path + "." + group.prefix, constraint, mistakes,
                         group.factor) &&
             good;
    }
    if (good) groups_ = std::move(groups);
  }

 private:
  RateGroups& groups_;
};

}  // namespace

std::unique_ptr<Slot> make_slot(RateGroups& groups) {
  return std::make_unique<RateGroupsSlot>(groups);
}

}  // namespace saccade
