// The named arms of a comparison: sets of values that belong together, for what is no product of
// axes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/value.h"

namespace saccade {

// Each value is the right side of an override: `path=value` sets it (YAML on one line).
struct NamedArm {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // path and value; none: the base itself
  Place place = {};                                         // where it was written, for messages

  friend bool operator==(const NamedArm& a, const NamedArm& b) {
    return a.name == b.name && a.values == b.values;
  }
};
using NamedArms = std::vector<NamedArm>;

// Written as a map from name to map: `{plain: {}, hard: {attention.selection: hard}}`.
std::unique_ptr<Slot> make_slot(NamedArms& arms);

}  // namespace saccade
