// The progress of a long piece of work, on stderr: a bar on a terminal, else a line for every tenth
// that is done; nothing where only errors are shown (log.h).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/base/real.h"

namespace saccade {

// `1h 05m`, `12m 30s`, `45s`
std::string duration_text(double seconds);

// Which lines are written where stderr is no terminal, such as a log file: the first after five
// seconds, so that short work is silent, then one for each further tenth.
class ProgressLines {
 public:
  // Whether a line is due, when the share `done` [0, 1] is done after so many seconds.
  bool due(double seconds, double done);

 private:
  int tenths_ = -1;  // of the last line
};

class Progress {
 public:
  // `label` starts each line: `reading images`.
  explicit Progress(std::string label);
  ~Progress();  // erases the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the share that is done [0, 1], a text and the time left, unless it was last shown a
  // moment ago. A share that is smaller than before begins another piece of work.
  void show(double done, const std::string& text);
  // Shows counts: "12 of 40 captions". The function must not outlive this.
  std::function<void(Index done, Index total)> counting(const std::string& what = "");
  // Erases the bar, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;  // of the first call, and of what was last shown
  double first_done_ = -1;          // of the first call; -1 before it
  double done_ = 0;
  ProgressLines lines_;
};

}  // namespace saccade
