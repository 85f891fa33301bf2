// The layers over a whole sequence that are compared in time, and what theory says of each: the
// table of complexity in Vaswani et al. 2017 (section 4), for layers of this project.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/grid_size.h"

namespace saccade {

// One sequence, a grid in reading order, and the options of the layers.
struct SequenceSizes {
  static constexpr Index kWidth = 256, kHeads = 8;
  static constexpr Index kRadius = 8;      // of window
  static constexpr Index kProjected = 32;  // mixtures of linformer
  GridSize grid{};
};

// What came before attention: a convolution of 3 x 3 cells, and a GRU that reads the grid in
// reading order.
enum class PlainLayer { kConvolution, kGru };

struct SequenceLayer {
  std::string name;  // a row of sequence_attentions(), unless `plain` is given
  std::optional<PlainLayer> plain{};
};

// Every mechanism of sequence_attentions(), and then the plain layers.
std::vector<SequenceLayer> sequence_layers();

struct LayerCost {
  double multiplications = 0;  // of matrices and weighted sums, in one forward pass
  Index steps = 1;             // products that have to wait for each other
  Index path = 1;              // the most steps from one position to another, over stacked layers
};

LayerCost cost_of(const SequenceLayer& layer, const SequenceSizes& sizes);

}  // namespace saccade
