// `saccade convert`: turns checkpoints into safetensors files for other programs, and back.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_convert(Options& options);

}  // namespace saccade
