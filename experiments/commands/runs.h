// `saccade runs`: lists the runs below a folder and their states.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_runs(Options& options);

}  // namespace saccade
