#include "experiments/process/stop_signal.h"

#include <pthread.h>
#include <unistd.h>

#include <array>

namespace saccade {

namespace {

constexpr std::array<int, 4> kTaken = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};

// Those of kTaken, but SIGHUP only where it would end the process: nohup ignores it.
sigset_t taken_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kTaken) sigaddset(&set, number);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler == SIG_IGN) sigdelset(&set, SIGHUP);
  return set;
}

}  // namespace

// No signal handler may run: oneDNN's generated matrix products use the stack pointer as an
// ordinary pointer into their data, so that the kernel would write the handler's frame over the
// heap. Every thread therefore blocks the signals, and one that computes nothing waits for them.
StopSignal::StopSignal(const std::string& first)
    : text_("\nstopping: " + first + "; Ctrl-C (again) stops at once\n") {
  const sigset_t taken = taken_signals();
  pthread_sigmask(SIG_BLOCK, &taken, &before_);
  // A shell starts background jobs with SIGINT ignored, and the system may drop ignored signals.
  for (const int number : kTaken)
    if (sigismember(&taken, number) == 1) signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  waiter_ = std::thread([this] { wait(); });
}

StopSignal::~StopSignal() {
  ending_.store(true);
  pthread_kill(waiter_.native_handle(), SIGUSR1);  // wakes the waiting thread
  waiter_.join();
  // A signal that came while the run ended must not change its exit code to that of a signal.
  const sigset_t taken = taken_signals();
  const timespec now{};
  while (sigtimedwait(&taken, nullptr, &now) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  signal(SIGPIPE, SIG_DFL);
}

void StopSignal::wait() {
  const sigset_t taken = taken_signals();
  bool interrupted = false;
  while (true) {
    int number = 0;
    if (sigwait(&taken, &number) != 0) continue;
    if (ending_.load()) return;
    if (number == SIGINT && interrupted) ::_exit(signal_exit_code(SIGINT));
    interrupted = interrupted || number == SIGINT;
    number_.store(number);
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_.data(), text_.size());
  }
}

void StopSignal::check() const {
  if (const int signal = number(); signal != 0) throw Stopped(signal);
}

int signal_exit_code(int number) { return 128 + number; }

}  // namespace saccade
