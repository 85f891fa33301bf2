// Reads and writes a choice that a program may extend (open_choice.h).
#pragma once

#include <memory>
#include <string>

#include "core/config/open_choice.h"
#include "core/config/value.h"

namespace saccade {

template <NamedEnum E>
class OpenSlot : public Slot {
 public:
  explicit OpenSlot(OpenChoice<E>& value) : value_(value) {}
  std::string type() const override { return join_choices(value_.names()); }
  std::string text() const override { return yaml_text(std::string(value_.name())); }
  bool scalar() const override { return true; }
  void read(const Node& node, const std::string& path, const Constraint&,
            Mistakes& mistakes) override {
    if (node.kind != Node::Kind::kScalar) return expected(type(), node, path, mistakes);
    if (!value_.set(node.text))
      mistakes.add(node.place,
                   path + ": '" + node.text + "' " + not_a_choice(node, value_.names()));
  }

 private:
  OpenChoice<E>& value_;
};

template <NamedEnum E>
std::unique_ptr<Slot> make_slot(OpenChoice<E>& value) {
  return std::make_unique<OpenSlot<E>>(value);
}

}  // namespace saccade
