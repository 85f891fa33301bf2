// `saccade data`: what a config's data set holds.
#pragma once

#include "experiments/command.h"

namespace saccade {

CommandRun bind_data(Options& options);

}  // namespace saccade
