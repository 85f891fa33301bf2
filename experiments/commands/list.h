// `saccade list`: lists the choices from which an experiment is put together, and every key of an
// experiment file.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_list(Options& options);

}  // namespace saccade
