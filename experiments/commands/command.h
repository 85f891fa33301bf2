// The form of every command of the program: a row with its name and a function that declares its
// options. commands.h names all commands.
#pragma once

#include <functional>

#include "experiments/options/options.h"

namespace saccade {

// Runs a command after its options were read, and returns the exit code; errors are thrown. The
// number of threads (--threads, which every command has) is set before. Stdout is for data only.
using CommandRun = std::function<int()>;

struct Command {
  const char* name;
  const char* summary;
  const char* example;
  CommandRun (*bind)(Options& options);  // declares the options of the command
  bool over_ranks = false;               // whether several processes do its work together
  bool reads_configs = true;             // or models, so that plugins may add to their choices
};

}  // namespace saccade
