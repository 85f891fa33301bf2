#include "core/optim/tiles.h"

#include <algorithm>

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Products are fastest on tiles that are neither flat nor narrow; updates are fastest on long runs
// of columns.
constexpr Index kWantedRows = 256;

// The least height of the fewest parts of so many rows, with at most `most` rows each.
Index even_part(Index rows, Index most) {
  const Index parts = (rows + most - 1) / most;
  return std::min(most, ((rows + parts - 1) / parts + 15) / 16 * 16);
}

}  // namespace

std::vector<Tile> cut_into_tiles(const ParameterStore& store) {
  std::vector<Tile> tiles;
  for (std::size_t p = 0; p < store.count(); ++p) {
    const Shape& shape = store.infos()[p].shape;
    const Index rows = shape.rows(), cols = shape.cols();
    if (shape.size() == 0) continue;
    const Index width = std::min(cols, kTileNumbers / std::min(rows, kWantedRows) / 16 * 16);
    const Index height = even_part(rows, std::min(rows, kTileNumbers / width));
    for (Index col = 0; col < cols; col += width)
      for (Index row = 0; row < rows; row += height)
        tiles.push_back({.parameter = static_cast<int>(p),
                         .row = row,
                         .rows = std::min(height, rows - row),
                         .col = col,
                         .cols = std::min(width, cols - col)});
  }
  return tiles;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
