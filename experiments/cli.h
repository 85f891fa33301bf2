// The command line of the program: finds the command, reads its options, and turns every error
// into one line on stderr and an exit code (core/base/error.h).
#pragma once

#include <string>

namespace saccade {

// What the program takes from its environment; only main.cpp reads it.
struct Environment {
  bool no_color = false;  // NO_COLOR is set (https://no-color.org)
  std::string models{};   // SACCADE_MODELS: folders of models, with ':' between them
  int processes = 0;      // that mpirun or srun started together; 0: neither did
};

// Runs the program and returns its exit code.
int run_program(int argc, const char* const* argv, const Environment& environment);

}  // namespace saccade
