#include "core/optim/optimizer_config.h"

#include "core/config/fields.h"
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

void OptimizerConfig::fields(Section& v) {
  v.field("type", type, "the optimizer");
  v.field("lr", lr, "learning rate", above(0));
  v.field("groups", groups,
          "factors of the learning rate by prefix of the parameters' names, such as "
          "{decoder.attention: 5}; the longest prefix of a name counts",
          between(0, 1e6));
  v.field("momentum", momentum, "share of the last step that goes into the next",
          between_open_end(0, 1))
      .only_with("optimizer.type", OptimizerKind::kSgd);
  v.field("beta1", beta1, "decay of the first moment", between_open_end(0, 1))
      .only_with("optimizer.type", OptimizerKind::kAdam, OptimizerKind::kAdamw);
  v.field("beta2", beta2, "decay of the second moment", between_open_end(0, 1))
      .only_with("optimizer.type", OptimizerKind::kAdam, OptimizerKind::kAdamw);
  v.field("rho", rho, "decay of the squared gradient", between_open_end(0, 1))
      .only_with("optimizer.type", OptimizerKind::kRmsprop);
  v.field("epsilon", epsilon, "added to the denominator", above(0))
      .unless("optimizer.type", OptimizerKind::kSgd);
  v.field("weight_decay", weight_decay, "L2 decay; decoupled for adamw", at_least(0));
  v.field("clip_norm", clip_norm, "largest norm of the whole gradient; 0 = off", at_least(0));
  v.field("clip_value", clip_value, "largest gradient element; 0 = off", at_least(0));
  v.field("ema", ema,
          "decay of the moving average of the weights; this average is validated, saved as the "
          "best model and used for captions; 0 = none",
          between_open_end(0, 1));
  v.field("schedule", schedule, "how the learning rate changes");
  v.field("warmup", warmup, "updates of linear rise at the start, with every schedule; 0 = none",
          at_least(0));
  v.field("decay_every", decay_every, "amount of training between drops of the learning rate")
      .only_with("optimizer.schedule", ScheduleKind::kStep);
  v.field("decay_factor", decay_factor, "factor of the learning rate at each drop",
          {.min = 0, .max = 1, .min_open = true})
      .only_with("optimizer.schedule", ScheduleKind::kStep);
  v.field("final_lr", final_lr, "learning rate at the end", at_least(0))
      .only_with("optimizer.schedule", ScheduleKind::kCosine);
}

}  // namespace saccade
