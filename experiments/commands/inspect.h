// `saccade inspect`: what a checkpoint holds.
#pragma once

#include "experiments/command.h"

namespace saccade {

CommandRun bind_inspect(Options& options);

}  // namespace saccade
