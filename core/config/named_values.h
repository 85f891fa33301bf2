// Named sets of values that belong together: the arms of a comparison, the data sets of a run.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/node.h"

namespace saccade {

class Slot;

// Each value is the right-hand side of an override (YAML on one line): `path=value` sets it.
struct NamedValues {
  std::string name;
  // Path and value; empty: the base itself.
  std::vector<std::pair<std::string, std::string>> values;
  Place place = {};  // where it was written, for messages

  friend bool operator==(const NamedValues& a, const NamedValues& b) {
    return a.name == b.name && a.values == b.values;
  }
};
using NamedValuesList = std::vector<NamedValues>;

// Written as a map from name to map: `{plain: {}, hard: {attention.selection: hard}}`.
std::unique_ptr<Slot> make_slot(NamedValuesList& arms);

}  // namespace saccade
