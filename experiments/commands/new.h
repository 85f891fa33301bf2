// `saccade new`: writes a config for a person's own photos after looking at them.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_new(Options& options);

}  // namespace saccade
