// What the program takes from its environment.
#pragma once

#include <string>

namespace saccade {

struct Environment {
  bool no_color = false;  // NO_COLOR is set (https://no-color.org)
  std::string models{};   // SACCADE_MODELS: folders of models, with ':' between them
  int processes = 0;      // that mpirun or srun started together; 0: neither did
};

// Reads the variables, and tells METEOR where its table may be (options/meteor_tables.h).
Environment read_environment();

}  // namespace saccade
