// Tiles: parameters cut into pieces of bounded size, which are the tasks of the optimizer step.
#pragma once

#include <vector>

#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The largest number of elements in a tile: its gradient fits into a core's second-level cache.
inline constexpr Index kTileNumbers = 128 * 1024;

// Rows [row, row + rows) and columns [col, col + cols) of a parameter that is viewed as a matrix
// [shape.rows(), shape.cols()].
struct Tile {
  int parameter = 0;
  Index row = 0, rows = 0;
  Index col = 0, cols = 0;
};

// All tiles of all parameters, in order: those with the same columns follow each other. They depend
// on shapes only.
std::vector<Tile> cut_into_tiles(const ParameterStore& store);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
