#include "experiments/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace saccade {

namespace {

constexpr std::array<int, 3> kCaught = {SIGINT, SIGTERM, SIGUSR1};

// A signal handler has no other way to reach its run.
std::atomic<int>& received() {
  static std::atomic<int> number{0};
  static_assert(std::atomic<int>::is_always_lock_free);
  return number;
}

void on_signal(int number) {
  received().store(number);
  constexpr std::string_view kText =
      "\nstopping: the update is finished and saved first; Ctrl-C (again) stops at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
}

}  // namespace

StopSignal::StopSignal() {
  received().store(0);
  for (const int number : kCaught) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    if (number == SIGINT) action.sa_flags |= static_cast<int>(SA_RESETHAND);
    sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
}

StopSignal::~StopSignal() {
  for (const int number : kCaught) signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
}

const std::atomic<int>& StopSignal::number() const { return received(); }

void StopSignal::check() const {
  if (const int signal = number(); signal != 0) throw Stopped(signal);
}

int signal_exit_code(int number) { return 128 + number; }

}  // namespace saccade
