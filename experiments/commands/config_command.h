// `saccade config show|check`: prints every value of an experiment file, or checks the file.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_config(Options& options);

}  // namespace saccade
