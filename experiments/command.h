// What every command of the program is: a function that declares its options on its own
// subcommand and returns what runs it. The list of commands is in cli.cpp.
#pragma once

#include <functional>

#include "experiments/options.h"

namespace saccade {

// Runs a command once its options are read; the result is the exit code, errors are thrown. The
// number of threads is set before (--threads, which every command has); stdout is for data.
using CommandRun = std::function<int()>;

// How a command is offered: `CommandRun bind_train(Options& options)` in commands/train.h.
using CommandBinding = CommandRun (*)(Options& options);

}  // namespace saccade
