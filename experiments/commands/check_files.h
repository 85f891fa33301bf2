// Checks that the files which a config names exist.
#pragma once

#include <vector>

#include "experiments/compare/arms.h"

namespace saccade {

// Throws DataError, with one line for each path, where a path of any arm is given and does not
// exist. Warns of paths that are needed and not given: a command line may still give them.
void check_files(const std::vector<Arm>& arms);

}  // namespace saccade
