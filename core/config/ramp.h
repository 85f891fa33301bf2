// A number that may change while a model trains: `0.5`, or `1 -> 0.1 over 10e`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/stop.h"

namespace saccade {

struct Ramp {
  double from = 0;
  double to = 0;
  Stop over = updates(0);  // epochs or updates; 0: `to` from the start

  // A number that does not change.
  static Ramp constant(double value) { return {value, value, updates(0)}; }
  bool moves() const { return over.count > 0; }
  // The value at an update (the first is 0): a straight line from `from` to `to`, and then `to`.
  double at(std::int64_t update, std::int64_t updates_per_epoch) const;

  friend bool operator==(const Ramp&, const Ramp&) = default;
};

// Reads a ramp. Returns "" and sets it, or returns what is wrong and leaves it unchanged.
std::string parse_ramp(std::string_view text, Ramp& ramp);

// The text of a ramp; reading it gives the same ramp.
std::string to_string(const Ramp& ramp);

}  // namespace saccade
