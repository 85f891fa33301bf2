// Times a piece of work again and again, for saccade_bench.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/real.h"

namespace saccade {

// The amount of work, and how long it is repeated.
struct WorkSize {
  Index batch = 32;
  double seconds = 8;
  int threads = 1;
  std::string checkpoint{}, photo{};  // what caption_photo captions, and by which model
};

struct Timing {
  std::vector<double> times;  // ms, sorted
  double first_loss = 0;
  double reward_share = 0;  // of the time; for self-critical training only
};

inline double milliseconds() { return 1e3 * clock_seconds(); }

// Does the work twice to warm up, so that arenas and primitives exist, then repeats it for
// `seconds` and at least five times. work() returns the loss, or any number.
template <class Work>
Timing measure(double seconds, Work work) {
  Timing timing;
  timing.first_loss = work();
  work();
  const double end = milliseconds() + 1e3 * seconds;
  while (timing.times.size() < 5 || milliseconds() < end) {
    const double start = milliseconds();
    work();
    timing.times.push_back(milliseconds() - start);
  }
  std::sort(timing.times.begin(), timing.times.end());
  return timing;
}

}  // namespace saccade
