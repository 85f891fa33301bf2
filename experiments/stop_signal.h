// Asks a long run to stop: SIGINT, SIGTERM and SIGUSR1 are remembered, so that the run can finish
// its update and save; a second SIGINT ends the process at once.
#pragma once

#include <atomic>
#include <exception>

namespace saccade {

// While it lives, the three signals are caught, and a closed terminal does not end the process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The number of the signal that came; 0 for none.
  const std::atomic<int>& number() const;
  // Throws Stopped if a signal came; for work that has nothing to save yet.
  void check() const;
};

// The run was asked to stop before there was anything to save.
class Stopped : public std::exception {
 public:
  explicit Stopped(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "stopped by a signal"; }

 private:
  int signal_;
};

// The exit code of a run that signal `number` stopped.
int signal_exit_code(int number);

}  // namespace saccade
