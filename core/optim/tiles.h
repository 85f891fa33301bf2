// Tiles: parameters cut into pieces of a fixed size, the tasks of the optimizer step.
#pragma once

#include <vector>

#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The most numbers a tile holds: its gradient stays in a core's second-level cache.
inline constexpr Index kTileNumbers = 128 * 1024;

// Rows [row, row + rows) and columns [col, col + cols) of a parameter seen as [shape.rows(),
// shape.cols()].
struct Tile {
  int parameter = 0;
  Index row = 0, rows = 0;
  Index col = 0, cols = 0;
};

// All tiles of all parameters, in order. The cut depends on shapes only.
std::vector<Tile> cut_into_tiles(const ParameterStore& store);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
