// The named arms of a comparison: sets of values that belong together, for comparisons that are not
// a product of axes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/node.h"

namespace saccade {

class Slot;

// Each value is the right-hand side of an override (YAML on one line): `path=value` sets it.
struct NamedArm {
  std::string name;
  // Path and value; empty: the base itself.
  std::vector<std::pair<std::string, std::string>> values;
  Place place = {};  // where it was written, for messages

  friend bool operator==(const NamedArm& a, const NamedArm& b) {
    return a.name == b.name && a.values == b.values;
  }
};
using NamedArms = std::vector<NamedArm>;

// Written as a map from name to map: `{plain: {}, hard: {attention.selection: hard}}`.
std::unique_ptr<Slot> make_slot(NamedArms& arms);

}  // namespace saccade
