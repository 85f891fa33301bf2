// `saccade train`: trains a captioner into a run directory.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_train(Options& options);

}  // namespace saccade
