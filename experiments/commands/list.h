// `saccade list`: what an experiment can be put together from, and every key of its file.
#pragma once

#include "experiments/command.h"

namespace saccade {

CommandRun bind_list(Options& options);

}  // namespace saccade
