// `saccade data`: shows what the data set of a config contains.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_data(Options& options);

}  // namespace saccade
