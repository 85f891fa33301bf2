// How benchmarks time pieces of work.
#pragma once

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/median.h"
#include "core/base/real.h"

namespace saccade {

// The amount of work of saccade_bench, and how long it is repeated.
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
  Index parameters = 0;     // that the optimizer updates
};

// The time of one call of work() in ms.
template <class Work>
double milliseconds_of(Work&& work) {
  const double start = clock_seconds();
  work();
  return 1e3 * (clock_seconds() - start);
}

// The same in processor time of this process, which does not include what other processes take.
template <class Work>
double processor_milliseconds_of(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

constexpr Index kWarmUps = 2;  // calls of measure() that are not timed

// Does the work twice to warm up, so that arenas and primitives exist, then repeats it for
// `seconds` and at least five times. work() returns the loss, or any number.
template <class Work>
Timing measure(double seconds, Work work) {
  Timing timing;
  timing.first_loss = work();
  work();
  const double end = clock_seconds() + seconds;
  while (timing.times.size() < 5 || clock_seconds() < end)
    timing.times.push_back(milliseconds_of(work));
  std::sort(timing.times.begin(), timing.times.end());
  return timing;
}

struct PairedTiming {
  double ms = 0;     // the subject's processor time, median over the rounds
  double ratio = 0;  // subject / baseline in the same round, median over the rounds
};

// Runs both once to warm up, then in turns for `seconds` and for at least three rounds: on a
// machine that others use, too, disturbances hit both alike, so that the ratio of their times
// holds.
template <class Baseline, class Subject>
PairedTiming time_in_turns(double seconds, Baseline&& baseline, Subject&& subject) {
  constexpr std::size_t kFewest = 3;
  baseline();
  subject();
  std::vector<double> times, ratios;
  for (double spent = 0; times.size() < kFewest || spent < 1e3 * seconds;) {
    const double base = processor_milliseconds_of(baseline);
    times.push_back(processor_milliseconds_of(subject));
    ratios.push_back(times.back() / base);
    spent += base + times.back();
  }
  return {.ms = median(times), .ratio = median(ratios)};
}

}  // namespace saccade
