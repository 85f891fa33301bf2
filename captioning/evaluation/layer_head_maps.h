// The maps of one step of a decoder, layer by layer and head by head.
#pragma once

#include <vector>

#include "captioning/decoders/decoder.h"

namespace saccade {

// [layer][head] of [R, L], in the arena of the step. There is one layer where a word has one
// glimpse, and one head where a mechanism has one or returns only the mean of its heads.
inline std::vector<std::vector<ConstView>> layer_head_maps(const StepOutput& step) {
  const auto heads_of = [](const Glimpse& glimpse) {
    std::vector<ConstView> heads;
    for (const Var head : glimpse.heads) heads.push_back(head.value());
    if (heads.empty()) heads.push_back(glimpse.weights.value());
    return heads;
  };
  std::vector<std::vector<ConstView>> layers;
  for (const Glimpse& layer : step.layers) layers.push_back(heads_of(layer));
  if (layers.empty()) layers.push_back(heads_of(step.glimpse));
  return layers;
}

}  // namespace saccade
