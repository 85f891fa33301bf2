// The command line of the program: finds the command, reads its options, and turns every error
// into one line on stderr and an exit code (core/base/error.h).
#pragma once

#include <span>
#include <string>

#include "experiments/commands/command.h"
#include "experiments/environment.h"

namespace saccade {

// Loads what a plugin of the command line adds (core/attention/plugin.h).
using PluginLoader = void (*)(const std::string& file);

// Runs the program with these commands, in the order of --help, and returns its exit code. Without
// a loader it takes no plugins.
int run_program(int argc, const char* const* argv, const Environment& environment,
                std::span<const Command* const> commands, PluginLoader load_plugin = nullptr);

}  // namespace saccade
