// The program `saccade`. It scores captions itself. All else is done by the full program, whose
// libraries take longer to load than captions take to score.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"
#include "experiments/cli.h"
#include "experiments/commands/score.h"
#include "experiments/process/log.h"

namespace {

namespace fs = std::filesystem;
using saccade::Command;
using saccade::IoError;
using saccade::ScoreArgs;

char** arguments = nullptr;  // of this program

// Becomes the full program, in the same process. It is libexec/saccade/saccade beside this program
// (in a build) or in the folder above (installed). Throws IoError where it is missing or does not
// start.
[[noreturn]] void become_full_program() {
  constexpr const char* kFile = "libexec/saccade/saccade";
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {self.parent_path(), self.parent_path().parent_path()}) {
    const fs::path file = folder / kFile;
    if (!fs::exists(file, error) || fs::equivalent(file, self, error)) continue;
    execv(file.c_str(), arguments);
    throw IoError(saccade::str(file.string(), ": does not start: ", std::strerror(errno),
                               "; install saccade again"));
  }
  throw IoError(
      saccade::str(self.string(), ": this file alone only scores captions; ", kFile,
                   " is missing beside it and in the folder above; install saccade again"));
}

// Systems are compared as the arms of experiments are.
int compare_in_full_program(const ScoreArgs& /*args*/) { become_full_program(); }

constexpr Command kOnlyScore = saccade::score_command([](saccade::Options& options) {
  return saccade::bind_score(options, compare_in_full_program);
});

}  // namespace

int main(int argc, char** argv) {
  arguments = argv;
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == kOnlyScore.name || (first == "--version" && argc == 2))
    return saccade::run_program(argc, argv, saccade::read_environment(), std::array{&kOnlyScore});
  try {
    become_full_program();
  } catch (const saccade::Error& error) {
    saccade::log::error(error.what());
    return static_cast<int>(error.code());
  }
}
