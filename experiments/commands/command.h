// The form of every command of the program: a function that declares the options of its own
// subcommand and returns the function that runs the command. The list of commands is in cli.cpp.
#pragma once

#include <functional>

#include "experiments/options/options.h"

namespace saccade {

// Runs a command after its options were read, and returns the exit code; errors are thrown. The
// number of threads (--threads, which every command has) is set before. Stdout is for data only.
using CommandRun = std::function<int()>;

// Declares a command: `CommandRun bind_train(Options& options)` in commands/train.h.
using CommandBinding = CommandRun (*)(Options& options);

}  // namespace saccade
