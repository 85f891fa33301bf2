// A config value that is a choice of a registry, or of those that the running program added to it.
// A config may hold it where the enum is only declared; its functions need the names.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace saccade {

template <class E>
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

}  // namespace saccade
