// The errors of saccade and their exit codes. Everything may include it.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace saccade {

// The exit codes of the program, the same for all commands. 128 + N means: stopped by signal N.
enum class ExitCode {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,       // command line or config
  kData = 3,        // data missing or invalid
  kCheckpoint = 4,  // checkpoint missing, corrupt or incompatible
  kIo = 5,          // disk full, permission
  kDiverged = 6,    // NaN or infinity in training
  kBusy = 7,        // run directory busy or exists
  kPartial = 8,     // a comparison failed in part
  kMemory = 9,
};

// Base of all errors: an exit code and a message of one line that names the place, the fault and
// what to do.
class Error : public std::runtime_error {
 public:
  // `what` is the message.
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  // The exit code with which the program saccade ends on this error.
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Declares a class of errors; it is undefined again below.
#define SACCADE_ERROR_TYPE(Name, kCode)                                      \
  class Name : public Error {                                                \
   public:                                                                   \
    explicit Name(const std::string& what) : Error(ExitCode::kCode, what) {} \
  }
SACCADE_ERROR_TYPE(InternalError, kInternal);      // a fault of saccade
SACCADE_ERROR_TYPE(ShapeError, kInternal);         // shapes that do not fit, a fault of the caller
SACCADE_ERROR_TYPE(UsageError, kUsage);            // a config or an option that is not valid
SACCADE_ERROR_TYPE(DataError, kData);              // data that are missing or not valid
SACCADE_ERROR_TYPE(CheckpointError, kCheckpoint);  // a checkpoint: missing, damaged or of others
SACCADE_ERROR_TYPE(IoError, kIo);                  // a full disk, a missing permission
SACCADE_ERROR_TYPE(DivergedError, kDiverged);      // NaN or infinity in training
SACCADE_ERROR_TYPE(BusyError, kBusy);              // the directory of a run: in use, or not empty
#undef SACCADE_ERROR_TYPE

// Streams the arguments one after the other into a string.
template <class... Args>
std::string str(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

// Checks what a caller must ensure: `SACCADE_CHECK(a == b, "[matmul] inner extents differ; got ",
// a, " and ", b)`.
#define SACCADE_CHECK(condition, ...)                                           \
  do {                                                                          \
    if (!(condition)) throw ::saccade::ShapeError(::saccade::str(__VA_ARGS__)); \
  } while (false)

// Checks an invariant of saccade itself.
#define SACCADE_ASSERT(condition, ...)                                                           \
  do {                                                                                           \
    if (!(condition)) throw ::saccade::InternalError(::saccade::str("internal: ", __VA_ARGS__)); \
  } while (false)

}  // namespace saccade
