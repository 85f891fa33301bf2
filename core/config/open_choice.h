// A config value that is a choice of a registry, or of those that the running program added to it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace saccade {

template <NamedEnum E>
class OpenChoice {
 public:
  OpenChoice(E kind) : kind_(kind) {}  // NOLINT(google-explicit-constructor)

  // Keeps the names that were added.
  OpenChoice& operator=(E kind) {
    kind_ = kind;
    added_.clear();
    return *this;
  }

  // The enumerator; none for a choice that was added.
  std::optional<E> kind() const { return added_.empty() ? std::optional(kind_) : std::nullopt; }
  // The name of a choice that was added; "" for an enumerator.
  const std::string& added() const { return added_; }
  std::string_view name() const { return added_.empty() ? enum_name(kind_) : added_; }
  bool operator==(E kind) const { return added_.empty() && kind_ == kind; }

  // Makes these names valid beside those of the enumerators.
  void add_names(std::shared_ptr<const std::vector<std::string>> names) {
    names_ = std::move(names);
  }
  // All valid names.
  std::vector<std::string> names() const {
    std::vector<std::string> all = enum_all_names<E>();
    if (names_) all.insert(all.end(), names_->begin(), names_->end());
    return all;
  }
  // Sets the choice of a name. Returns false, and changes nothing, where there is none.
  bool set(const std::string& name) {
    if (const auto kind = enum_value<E>(name)) {
      kind_ = *kind;
      added_.clear();
      return true;
    }
    if (!names_ || std::find(names_->begin(), names_->end(), name) == names_->end()) return false;
    added_ = name;
    return true;
  }

 private:
  E kind_;
  std::string added_;
  std::shared_ptr<const std::vector<std::string>> names_;
};

template <NamedEnum E>
std::string_view enum_name(const OpenChoice<E>& choice) {
  return choice.name();
}

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
