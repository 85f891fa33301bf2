// The command line of the program: finds the command, reads its options, and turns every error
// into one line on stderr and an exit code (core/base/error.h).
#pragma once

#include <span>

#include "experiments/commands/command.h"
#include "experiments/environment.h"

namespace saccade {

// Runs the program with these commands, in the order of --help, and returns its exit code.
int run_program(int argc, const char* const* argv, const Environment& environment,
                std::span<const Command* const> commands);

}  // namespace saccade
