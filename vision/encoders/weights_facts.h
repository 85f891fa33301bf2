// What network a file or folder of published weights holds, and the config with which it encodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vision/encoders/grid.h"

namespace saccade {

struct NetworkFacts {
  std::string names, prefix;  // how the parameters are called, and what all names begin with
  std::string what{};         // the network in words; "" where it is not known
  std::string problem{};      // why there is no grid; "" where there is one
  GridShape grid{};
  Index height = 0, width = 0;
  std::vector<std::string> layers{};
  std::string pixels{};  // the file that says how pictures are prepared
  // Keys of the section encoder, and their values.
  std::vector<std::pair<std::string, std::string>> config{};
};

// Pictures have `image_size`; 0: what the files say, or else 224. Throws what open_tensors() and
// HubTensors throw; a network that cannot be an encoder is a `problem`.
NetworkFacts network_facts(const std::string& path, Index image_size);

}  // namespace saccade
