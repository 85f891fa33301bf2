// Stops a long run by SIGINT, SIGTERM, SIGUSR1 or SIGHUP: the signal is recorded, so that the run
// can first finish its update and save, or finish its image. A second SIGINT ends the process at
// once.
#pragma once

#include <signal.h>

#include <atomic>
#include <exception>
#include <string>
#include <thread>

namespace saccade {

// While it lives, a thread of its own takes these signals (SIGHUP unless it was ignored, as by
// nohup), and a pipe that nobody reads does not end the process. Create it on the main thread
// before any other thread is started, because all threads must inherit its signal mask.
class StopSignal {
 public:
  // `first` is written to stderr when the signal comes: what is done before the end.
  explicit StopSignal(const std::string& first = "the update is finished and saved first");
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The number of the signal that came; 0 where none came.
  const std::atomic<int>& number() const { return number_; }
  // Throws Stopped if a signal came; for work that has nothing to save yet.
  void check() const;

 private:
  void wait();

  // Mutable because a run holds the object as constant while signals change it.
  mutable std::atomic<int> number_{0};
  mutable std::atomic<bool> ending_{false};
  std::string text_;
  sigset_t before_{};  // the thread's mask
  std::thread waiter_;
};

// A signal came before there was anything to save.
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
