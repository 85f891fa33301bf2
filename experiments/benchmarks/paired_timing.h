// Times two pieces of work in turns: on a machine that others use, too, disturbances hit both
// alike, so that the ratio of their times holds. The time is the processor time of this process,
// which does not include what other processes take.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

#include "core/base/median.h"

namespace saccade {

struct PairedTiming {
  double ms = 0;     // the subject's time, median over the rounds
  double ratio = 0;  // subject / baseline in the same round, median over the rounds
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

// Runs both once to warm up, then in turns for `seconds` and for at least three rounds.
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
