// Two pieces of work timed in turns: on a machine that others use too, what happens to one of them
// happens to the other, and their ratio holds.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace saccade {

struct PairedTiming {
  double ms = 0;     // of the subject, median of the rounds
  double ratio = 0;  // subject / baseline of the same round, median of the rounds
};

inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Work>
double milliseconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
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
  return {.ms = median_of(times), .ratio = median_of(ratios)};
}

}  // namespace saccade
