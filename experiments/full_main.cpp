// The full program, with all commands. The program `saccade` (main.cpp) starts it.
#include "core/attention/plugin.h"
#include "experiments/cli.h"
#include "experiments/commands/commands.h"

int main(int argc, char** argv) {
  return saccade::run_program(argc, argv, saccade::read_environment(), saccade::kAllCommands,
                              [](const std::string& file) { saccade::load_plugin(file); });
}
