// The progress of a long piece of work, on stderr: a bar on a terminal, else a line every few
// seconds.
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
  ~Progress();  // erases the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the share that is done [0, 1] and a text, unless it was last shown a moment ago.
  void show(double done, const std::string& text);
  // Erases the bar, so that something else can be printed.
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
