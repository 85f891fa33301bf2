// Whether the files that a config names are there.
#pragma once

#include <vector>

#include "experiments/compare/arms.h"

namespace saccade {

// Throws DataError, a line for each, on places that are given and not there, of any arm; warns of
// those that are needed and not given, which a command line may still do.
void check_files(const std::vector<Arm>& arms);

}  // namespace saccade
