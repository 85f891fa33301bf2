// The axes of a comparison: for each dotted config path, the values to try.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace saccade {

// Each value is the right side of an override: `path=value` sets it (YAML on one line).
struct Axis {
  std::string path;
  std::vector<std::string> values;

  friend bool operator==(const Axis&, const Axis&) = default;
};
using Axes = std::vector<Axis>;

// Written as a map from path to list: `{attention.selection: [soft, hard]}`.
std::unique_ptr<Slot> make_slot(Axes& axes);

}  // namespace saccade
