// How far a long piece of work is: a bar on a terminal, else a line every few seconds. On stderr.
#pragma once

#include <chrono>
#include <string>

namespace saccade {

// `1h 05m`, `12m 30s`, `45s`
std::string duration_text(double seconds);

class Progress {
 public:
  // `label` starts each line: `reading images`.
  explicit Progress(std::string label);
  ~Progress();  // takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows a share done [0, 1] and some text, if the last time is long enough ago.
  void show(double done, const std::string& text);
  // Takes the bar away, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
  double first_done_ = -1;
};

}  // namespace saccade
