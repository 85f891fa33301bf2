// The clock by which work is timed.
#pragma once

#include <chrono>

namespace saccade {

// Seconds since some fixed time, of a clock that is never set; for differences.
inline double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace saccade
