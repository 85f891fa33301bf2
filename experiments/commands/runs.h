// `saccade runs`: what was trained below a folder and how it stands.
#pragma once

#include "experiments/command.h"

namespace saccade {

CommandRun bind_runs(Options& options);

}  // namespace saccade
