// Groups of parameters with a learning rate of their own: `optimizer.groups`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace saccade {

// All parameters whose name is `prefix` or starts with it and a dot.
struct RateGroup {
  std::string prefix;
  double factor = 1;  // multiplies their learning rate; 0: they stay as they are

  friend bool operator==(const RateGroup&, const RateGroup&) = default;
};
using RateGroups = std::vector<RateGroup>;

// Written as a map from prefix to factor: `{decoder.attention: 5, decoder.embedding: 0.1}`.
std::unique_ptr<Slot> make_slot(RateGroups& groups);

}  // namespace saccade
