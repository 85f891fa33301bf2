// The axes of a comparison: each is a dotted config path with the values to try.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace saccade {

class Slot;

// Each value is the right-hand side of an override (YAML on one line): `path=value` sets it.
struct Axis {
  std::string path;
  std::vector<std::string> values;

  friend bool operator==(const Axis&, const Axis&) = default;
};
using Axes = std::vector<Axis>;

// Written as a map from path to list: `{attention.selection: [soft, hard]}`.
std::unique_ptr<Slot> make_slot(Axes& axes);

}  // namespace saccade
