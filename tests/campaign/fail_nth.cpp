// A library for LD_PRELOAD that makes the n-th call that changes a file fail: FAIL_NTH=n,
// FAIL_ERROR=errno (28: the disk is full; 13: no permission; 5: the disk is broken). Calls for
// terminals, pipes and sockets do not count. With FAIL_COUNT=FILE, the number of such calls is
// written to FILE at the end.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<long> calls{0};

long number(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Whether this call fails; sets errno then.
bool fails() {
  static const long nth = number("FAIL_NTH", -1), error = number("FAIL_ERROR", 28);
  if (++calls != nth) return false;
  errno = static_cast<int>(error);
  return true;
}

struct Count {
  ~Count() {
    const char* file = std::getenv("FAIL_COUNT");
    if (file == nullptr) return;
    if (std::FILE* out = std::fopen(file, "w")) {
      std::fprintf(out, "%ld\n", calls.load());
      std::fclose(out);
    }
  }
} count;

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* data, size_t bytes) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return is_file(descriptor) && fails() ? -1 : real(descriptor, data, bytes);
}
ssize_t writev(int descriptor, const iovec* parts, int number_of_parts) {
  static const auto real = next<ssize_t (*)(int, const iovec*, int)>("writev");
  return is_file(descriptor) && fails() ? -1 : real(descriptor, parts, number_of_parts);
}
ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return is_file(descriptor) && fails() ? -1 : real(descriptor, data, bytes, at);
}
ssize_t pwrite64(int descriptor, const void* data, size_t bytes, off64_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return is_file(descriptor) && fails() ? -1 : real(descriptor, data, bytes, at);
}
int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  return is_file(descriptor) && fails() ? -1 : real(descriptor);
}
int ftruncate(int descriptor, off_t bytes) {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return fails() ? -1 : real(descriptor, bytes);
}
int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails() ? -1 : real(from, to);
}
int symlink(const char* to, const char* from) {
  static const auto real = next<int (*)(const char*, const char*)>("symlink");
  return fails() ? -1 : real(to, from);
}
int mkdir(const char* path, mode_t mode) {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return fails() ? -1 : real(path, mode);
}
int open(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return (flags & O_CREAT) != 0 && fails() ? -1 : real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return (flags & O_CREAT) != 0 && fails() ? -1 : real(path, flags, mode);
}
}
