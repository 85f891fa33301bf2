// Named sets of values that belong together: the arms of a comparison, the data sets of a run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
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
  // Of values that were set one by one, by an override of their path: where.
  std::map<std::string, Place, std::less<>> places = {};

  // Where a value was written.
  const Place& place_of(std::string_view key) const {
    const auto own = places.find(key);
    return own == places.end() ? place : own->second;
  }

  friend bool operator==(const NamedValues& a, const NamedValues& b) {
    return a.name == b.name && a.values == b.values;
  }
};
using NamedValuesList = std::vector<NamedValues>;

// Written as a map from name to map: `{plain: {}, hard: {attention.selection: hard}}`.
std::unique_ptr<Slot> make_slot(NamedValuesList& arms);

}  // namespace saccade
