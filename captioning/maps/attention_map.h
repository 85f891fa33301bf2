// An attention map as one value: how much of its attention a word gives to each cell of the grid,
// and what else is known of that glimpse. It is made where the decoder attends, and all that shows
// or judges maps reads this value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/map_fusion.h"

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
  std::vector<float> weights{};  // [rows * cols], row by row from the top left
  Index rows = 0;                // of the grid; 0: there is no map
  Index cols = 0;                // of the grid
  // [rows * cols], 1 for cells that show some of the picture and 0 for padding; empty: no padding.
  std::vector<std::uint8_t> counts{};
  MapPart layer{};                   // of the decoder; of the encoder for its own attention
  MapPart head{};                    // of that layer
  std::optional<double> gate{};      // beta, the mean of a vector gate; none without a gate
  std::optional<double> sentinel{};  // the sentinel's weight; none without a sentinel
  int chosen = -1;                   // the cell that hard attention took; -1 for the expectation
  // Whether the map was carried back through the encoder's own attention (rollout; Abnar and
  // Zuidema 2020). Captioner makes no such maps; the program saccade does.
  bool rollout = false;
  // The weight that a rollout gives to tokens without a place in the picture; none: there are none.
  std::optional<double> elsewhere{};

  // The weight of the cell in a row and a column of the grid, from 0. Throws ShapeError on a cell
  // outside of the grid, and where rows, cols and weights do not fit each other.
  float at(Index row, Index column) const;
  // Whether a cell, counted row by row, shows some of the picture. It is not checked.
  bool counted(std::size_t cell) const { return counts.empty() || counts[cell] != 0; }
};

// A map is uniform if its entropy is above this.
constexpr double kUniformEntropy = 0.99;

// The cells that show some of the picture. Throws ShapeError where the marks do not fit the
// weights.
Index counted_cells(const AttentionMap& map);
// Their weights, in order. Throws ShapeError, too.
std::vector<float> counted_weights(const AttentionMap& map);

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
