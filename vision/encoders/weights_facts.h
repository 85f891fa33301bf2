// What network a file or folder of published weights holds, and the config with which it encodes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vision/encoders/grid.h"
#include "vision/encoders/published_preprocessing.h"

namespace saccade {

struct NetworkFacts {
  std::string names, prefix;  // how the parameters are called, and what all names begin with
  std::string what{};         // the network in words; "" where it is not known
  std::string problem{};      // why there is no grid; "" where there is one
  GridShape grid{};
  Index height = 0, width = 0;
  std::vector<std::string> layers{};
  std::string pixels{};  // the file that says how pictures are prepared; "" where none does
  // Keys of the section encoder, and their values.
  std::vector<std::pair<std::string, std::string>> config{};
};

// Pictures have `image_size`; 0: what the files say, or else 224. Throws what open_tensors() and
// HubTensors throw; a network that cannot be an encoder is a `problem`.
NetworkFacts network_facts(const std::string& path, Index image_size);

// published_pixels(), or else, of a network with torchvision's names, the colours that all weights
// of torchvision were trained with, and no file. None also of what saccade wrote, and where a path
// has no weights.
std::optional<PublishedPixels> weights_pixels(const EncoderConfig& config);

}  // namespace saccade
