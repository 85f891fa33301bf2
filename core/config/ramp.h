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
  Stop over = updates(0);  // epochs or updates; none: `to` at once

  // A number that stays.
  static Ramp constant(double value) { return {value, value, updates(0)}; }
  bool moves() const { return over.count > 0; }
  // The value at an update (0 is the first): a straight line from `from` to `to`, then `to`.
  double at(std::int64_t update, std::int64_t updates_per_epoch) const;

  friend bool operator==(const Ramp&, const Ramp&) = default;
};

// Reads a ramp; returns "" and sets it, or returns what is wrong and leaves it.
std::string parse_ramp(std::string_view text, Ramp& ramp);

// As it is written; reading it gives the same ramp.
std::string to_string(const Ramp& ramp);

}  // namespace saccade
