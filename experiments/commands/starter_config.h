// The config that `saccade new` writes: values that suit a person's own data, each with its reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/grid_size.h"
#include "experiments/commands/own_data.h"

namespace saccade {

// A value of the config, as in YAML, and why it was chosen. Values without a reason are facts, such
// as where the photos are.
struct Choice {
  std::string key, value, why;
};

// A frozen network from an ONNX file, and which of its layers make up the grid.
struct StarterNetwork {
  std::string file, layer;
  Index image_size = 0;
  GridSize grid{};
  Index features = 0;
  bool imagenet_pixels = false;  // the file is PyTorch's, whose networks take such pixels
  // A layer at the beginning of the same stage that can be joined with `layer`; "" if there is
  // none.
  std::string earlier{};
  Index earlier_features = 0;
};

// Finds the layers of a network that suit as a grid: the last one that still has rows and columns,
// and the first activation on the same grid that has at least half as many features and further
// convolutions behind it. In the MobileNetV2 of configs/ these are its t168 and conv42_relu6.
// Throws DataError where the file is no network that can be run, or has no such last layer.
StarterNetwork find_network(const std::string& file);

// How long to train: the data decide.
struct TrainingSize {
  Index batch = 0, epochs = 0, updates = 0, width = 0;
};
TrainingSize training_size(Index captions);

// All values of the config, in the order of its sections.
std::vector<Choice> choose(const std::string& name, const OwnData& data,
                           const std::optional<StarterNetwork>& network);

// The YAML file: the facts of the data and the reasons as comments. `command` is the command line
// that wrote it.
std::string starter_yaml(const std::vector<std::string>& facts, const std::vector<Choice>& choices,
                         const std::string& command);

}  // namespace saccade
