#include "experiments/process/memory_end.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "core/base/error.h"

namespace saccade {

namespace {

// Where less address space than this is left below the limit, a crash or an error comes from that.
// Libraries ask for pieces of some megabytes, such as stacks and generated code, and the C library
// for 128 at once, in which it places the heap of a thread.
constexpr rlim_t kExhausted = rlim_t{160} << 20;

constexpr std::string_view kLine =
    "error: out of memory inside of a library; raise the limit (ulimit -v), use fewer --threads, "
    "or lower train.batch, search.beam or encoder.image_size where the command has them\n";

long page_size = 4096;

// The address space in use, by the first number of a file of /proc; 0 if it cannot be read. Only
// calls that a signal handler may make.
rlim_t address_space() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 32> text{};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  rlim_t pages = 0;
  for (ssize_t i = 0; i < size && text[static_cast<std::size_t>(i)] >= '0' &&
                      text[static_cast<std::size_t>(i)] <= '9';
       ++i)
    pages = 10 * pages + static_cast<rlim_t>(text[static_cast<std::size_t>(i)] - '0');
  return pages * static_cast<rlim_t>(page_size);
}

// Several threads may run out at once; the first ends the process for all.
std::atomic_flag already_ending = ATOMIC_FLAG_INIT;

[[noreturn]] void end() {
  while (already_ending.test_and_set()) ::pause();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(static_cast<int>(ExitCode::kMemory));
}

// Several threads may crash at once, so the handler stays in place, but for a crash within it.
thread_local bool crashed = false;

void on_crash(int number) {
  if (!crashed) {
    crashed = true;
    if (memory_is_short()) end();
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

std::terminate_handler usual_end = nullptr;

[[noreturn]] void on_terminate() {
  bool memory = memory_is_short();
  if (const std::exception_ptr error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      memory = true;
    } catch (...) {
    }
  }
  if (memory) end();
  usual_end();
  std::abort();
}

}  // namespace

bool memory_is_short() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return address_space() + kExhausted > limit.rlim_cur;
}

void tell_when_memory_ends() {
  page_size = ::sysconf(_SC_PAGESIZE);
  // Loads the library that unwinds stacks, while there is memory for it.
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);
  usual_end = std::set_terminate(on_terminate);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL}) ::sigaction(number, &action, nullptr);
}

}  // namespace saccade
