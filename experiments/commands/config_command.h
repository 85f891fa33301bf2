// `saccade config show|check`: what an experiment file means, and whether it is right.
#pragma once

#include "experiments/command.h"

namespace saccade {

CommandRun bind_config(Options& options);

}  // namespace saccade
