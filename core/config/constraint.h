// What a config value may be: a range for numbers, and for strings and lists that they are not
// empty. The choices of enums come from their tables (core/base/enum_names.h).
#pragma once

#include <optional>
#include <string>

namespace saccade {

struct Constraint {
  std::optional<double> min = {}, max = {};
  bool min_open = false;   // the minimum itself is not allowed
  bool max_open = false;   // the maximum itself is not allowed
  bool not_empty = false;  // a string or a list must not be empty

  // The constraint in words, such as `1 .. 65536` or `> 0`; "" when there is none.
  std::string text() const;
  // What is wrong with a number, as a phrase for messages; "" when nothing is.
  std::string check(double value) const;
};

inline Constraint between(double min, double max) { return {.min = min, .max = max}; }
inline Constraint between_open_end(double min, double max) {
  return {.min = min, .max = max, .max_open = true};
}
inline Constraint at_least(double min) { return {.min = min}; }
inline Constraint above(double min) { return {.min = min, .min_open = true}; }
inline Constraint not_empty() { return {.not_empty = true}; }

}  // namespace saccade
