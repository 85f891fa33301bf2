// `saccade new`: writes a config for a person's own photos after looking at them.
#pragma once

#include <string>

#include "experiments/commands/command.h"

namespace saccade {

struct NewArgs {
  std::string name, photos, captions;
  std::string encoder;  // an ONNX file; empty: the encoder that needs no file
  std::string from;     // a checkpoint whose weights are the first ones; empty: random weights
  std::string out;      // empty: NAME.yaml
  bool json = false;
};

int run_new(const NewArgs& args);
CommandRun bind_new(Options& options);

}  // namespace saccade
