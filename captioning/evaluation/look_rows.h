// A word's looks at the image, layer by layer and head by head.
#pragma once

#include <vector>

#include "captioning/decoders/decoder.h"

namespace saccade {

// [layer][head] of [R, L], in the step's arena: one layer where a word looks once, one head where a
// mechanism has one or tells only their mean.
inline std::vector<std::vector<ConstView>> look_rows(const StepOutput& step) {
  const auto rows_of = [](const Glimpse& look) {
    std::vector<ConstView> rows;
    for (const Var head : look.heads) rows.push_back(head.value());
    if (rows.empty()) rows.push_back(look.weights.value());
    return rows;
  };
  std::vector<std::vector<ConstView>> rows;
  for (const Glimpse& look : step.layers) rows.push_back(rows_of(look));
  if (rows.empty()) rows.push_back(rows_of(step.glimpse));
  return rows;
}

}  // namespace saccade
