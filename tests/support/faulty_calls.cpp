#include "tests/support/faulty_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace saccade::test {
namespace {

std::atomic<int> lock_error{0};
std::atomic<int> entries_left{-1};  // negative: all are read

}  // namespace

FailingLocks::FailingLocks(int error) { lock_error = error; }
FailingLocks::~FailingLocks() { lock_error = 0; }

FailingFolders::FailingFolders(int entries) { entries_left = entries; }
FailingFolders::~FailingFolders() { entries_left = -1; }

}  // namespace saccade::test

extern "C" int flock(int descriptor, int operation) noexcept {
  if (saccade::test::lock_error == 0)
    return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = saccade::test::lock_error;
  return -1;
}

extern "C" dirent* readdir(DIR* folder) {
  static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"));
  if (saccade::test::entries_left == 0) {
    errno = EIO;
    return nullptr;
  }
  if (saccade::test::entries_left > 0) --saccade::test::entries_left;
  return real(folder);
}
