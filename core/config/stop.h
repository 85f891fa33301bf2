// An amount of training in human units: `10e` epochs, `5000u` updates, `2h` `30m` `45s` of time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace saccade {

struct Stop {
  enum class Unit { kEpochs, kUpdates, kHours, kMinutes, kSeconds };

  std::int64_t count = 1;
  Unit unit = Unit::kEpochs;

  // The amount in seconds; valid for units of time only.
  std::int64_t seconds() const;
  bool is_time() const { return unit != Unit::kEpochs && unit != Unit::kUpdates; }

  friend bool operator==(const Stop&, const Stop&) = default;
};

inline Stop epochs(std::int64_t count) { return {count, Stop::Unit::kEpochs}; }
inline Stop updates(std::int64_t count) { return {count, Stop::Unit::kUpdates}; }
inline Stop seconds(std::int64_t count) { return {count, Stop::Unit::kSeconds}; }

// The forms in which a stop is written, for error messages and documentation.
inline constexpr std::string_view kStopForms =
    "10e (epochs), 5000u (updates), 2h, 30m or 45s (time)";

// Reads a stop (0 is allowed). Returns "" and sets it, or returns what is wrong and leaves it
// unchanged.
std::string parse_stop(std::string_view text, Stop& stop);

// The text of a stop, such as `10e`.
std::string to_string(const Stop& stop);

}  // namespace saccade
