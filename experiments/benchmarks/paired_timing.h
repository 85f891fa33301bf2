// Two pieces of work timed in turns: on a machine that others use too, what happens to one of them
// happens to the other, and their ratio holds. Time is the process's on its processors, so that
// what others take is not in it.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

#include "core/base/median.h"

namespace saccade {

struct PairedTiming {
  double ms = 0;     // of the subject, median of the rounds
  double ratio = 0;  // subject / baseline of the same round, median of the rounds
};

inline double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double milliseconds_of(Work&& work) {
  const double start = processor_ms();
  work();
  return processor_ms() - start;
}

// Runs both once to warm up, then in turns for `seconds`, three rounds at least.
template <class Baseline, class Subject>
PairedTiming time_in_turns(double seconds, Baseline&& baseline, Subject&& subject) {
  constexpr std::size_t kFewest = 3;
  baseline();
  subject();
  std::vector<double> times, ratios;
  for (double spent = 0; times.size() < kFewest || spent < 1e3 * seconds;) {
    const double base = milliseconds_of(baseline), own = milliseconds_of(subject);
    times.push_back(own);
    ratios.push_back(own / base);
    spent += base + own;
  }
  return {.ms = median(times), .ratio = median(ratios)};
}

}  // namespace saccade
