// An attention map as one value: how much of its attention a word gives to each cell of the grid,
// and what else is known of that glimpse. It is made where the decoder attends, and all that shows
// or judges maps reads this value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/map_fusion.h"
#include "core/base/grid_size.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// To which layer a map belongs, or to which head: to one of several, or to all of them, whose maps
// were joined into this one.
struct MapPart {
  Index number = 0;  // of the layer or head, from 0; 0 where maps were joined
  Index count = 1;   // how many there are; 0: the map belongs to none, as a rollout through all
  std::optional<Fusion> fused{};  // how the maps of all were joined; none: it is that of `number`

  // "2", "mean", "max" or "min"; empty where the map belongs to none.
  std::string name() const;
  // Whether number, count and fusion are the same.
  bool operator==(const MapPart&) const = default;
};

// The map of one word or, of a transformer encoder's own attention, that of its class token.
struct AttentionMap {
  std::vector<float> weights{};  // [grid.cells()], row by row from the top left
  GridSize grid{};               // without cells: there is no map
  // [grid.cells()], 1 for cells that show some of the picture and 0 for masked ones, which are
  // padding; empty: no cell is masked.
  std::vector<std::uint8_t> mask{};
  MapPart layer{};               // of the decoder; of the encoder for its own attention
  MapPart head{};                // of that layer
  std::optional<double> gate{};  // beta, the mean of a vector gate; none without a gate
  // The sentinel's weight; none without a sentinel. Of several heads it is recorded for the mean
  // alone: the map of one of them has none, and neither has a fusion of layers.
  std::optional<double> sentinel{};
  // The cell that hard attention took; -1 for the expectation, where it took none (but the
  // sentinel), and in a map of several heads that took different cells.
  int chosen = -1;
  // Whether the map was carried back through the encoder's own attention (rollout; Abnar and
  // Zuidema 2020). Captioner makes no such maps; the program saccade does.
  bool rollout = false;
  // The weight that a rollout gives to tokens without a place in the picture; none: there are none.
  std::optional<double> elsewhere{};

  // The weight of a cell. Throws ShapeError where the grid has no such cell or no weights.
  float at(Index row, Index col) const;
  // Whether a cell, counted row by row, is padding. The number of the cell is not checked.
  bool masked(std::size_t cell) const { return !mask.empty() && mask[cell] == 0; }
};

// A map is uniform if its entropy is above this.
constexpr double kUniformEntropy = 0.99;

// The number of cells that show some of the picture. Throws ShapeError where the mask does not fit
// the weights.
Index unmasked_cells(const AttentionMap& map);
// Their weights, in order. Throws ShapeError, too.
std::vector<float> unmasked_weights(const AttentionMap& map);

// p_i = |w_i| / sum_j |w_j| over the cells that show some of the picture; empty where their weights
// sum to less than 1e-6.
std::vector<double> map_shares(const AttentionMap& map);
// -sum_i p_i log p_i / log L of the shares of L cells, in [0, 1]; 0 if L = 1. There is at least
// one.
double shares_entropy(const std::vector<double>& shares);
// The entropy of map_shares(); none where they are empty.
std::optional<double> map_entropy(const AttentionMap& map);
// Whether the map is uniform; a map without weight is not.
bool is_uniform(const AttentionMap& map);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
