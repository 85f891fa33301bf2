// Groups of parameters with factors on the learning rate: `optimizer.groups`.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace saccade {

class Slot;

// All parameters whose name is `prefix`, or starts with `prefix` and a dot.
struct RateGroup {
  std::string prefix;
  double factor = 1;  // a factor on their learning rate; 0: they do not change

  friend bool operator==(const RateGroup&, const RateGroup&) = default;
};
using RateGroups = std::vector<RateGroup>;

// Written as a map from prefix to factor: `{decoder.attention: 5, decoder.embedding: 0.1}`.
std::unique_ptr<Slot> make_slot(RateGroups& groups);

}  // namespace saccade
