// The program `saccade`. It scores captions itself. All else is done by the full program, whose
// libraries take longer to load than captions take to score.
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "experiments/cli.h"
#include "experiments/commands/score.h"
#include "experiments/process/full_program.h"
#include "experiments/process/log.h"

namespace {

using saccade::Command;
using saccade::ScoreArgs;

char** arguments = nullptr;  // of this program

// Systems are compared as the arms of experiments are.
int compare_in_full_program(const ScoreArgs& /*args*/) { saccade::become_full_program(arguments); }

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
    saccade::become_full_program(argv);
  } catch (const saccade::Error& error) {
    saccade::log::error(error.what());
    return static_cast<int>(error.code());
  }
}
