// `saccade compare`: trains and scores every arm of an experiment under equal conditions.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_compare(Options& options);

}  // namespace saccade
