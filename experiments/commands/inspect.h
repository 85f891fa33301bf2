// `saccade inspect`: shows what a checkpoint, an ONNX file or a safetensors file contains.
#pragma once

#include "experiments/commands/command.h"

namespace saccade {

CommandRun bind_inspect(Options& options);

}  // namespace saccade
