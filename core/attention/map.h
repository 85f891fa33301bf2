// An attention map as one value: how much attention a word gives to each region, and what else is
// known of that glimpse. It is made where a decoder attends, and all that shows or judges maps
// reads this value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/map_fusion.h"
#include "core/base/grid_size.h"
#include "core/base/region_places.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Where the regions lie that a map has weights of: in the cells of a grid over what the network
// saw, numbered row by row from the top left, in boxes of the photo, or in time.
struct RegionLayout {
  GridSize grid{};        // its rows and columns of cells; of boxes and frames one row
  RegionPlaces places{};  // the boxes or frames; null: the cells of the grid

  // The number of regions.
  Index count() const { return grid.cells(); }
  // "2 x 3 grid", "list of 36 regions", "series of 36 frames".
  std::string name() const;
  // "row 0, column 2", "region 4", "frame 4 (0.8 s)".
  std::string region_name(Index region) const;
  // Whether the regions lie at the same places.
  bool operator==(const RegionLayout& other) const;
};

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
  std::vector<float> weights{};  // [layout.count()], in the order of the regions
  RegionLayout layout{};         // without regions: there is no map
  // [layout.count()], 1 for regions that show some of the picture and 0 for masked ones, which are
  // padding; empty: no region is masked.
  std::vector<std::uint8_t> mask{};
  MapPart layer{};               // of the decoder; of the encoder for its own attention
  MapPart head{};                // of that layer
  std::optional<double> gate{};  // beta, the mean of a vector gate; none without a gate
  // The sentinel's weight; none without a sentinel. Of several heads it is recorded for the mean
  // alone: the map of one of them has none, and neither has a fusion of layers.
  std::optional<double> sentinel{};
  // The region that hard attention took; -1 for the expectation, where it took none (but the
  // sentinel), and in a map of several heads that took different regions.
  int chosen = -1;
  // Whether the map was carried back through the encoder's own attention (rollout; Abnar and
  // Zuidema 2020). Captioner makes no such maps; the program saccade does.
  bool rollout = false;
  // The weight of regions without a place in the picture (encoder.placeless), or that a rollout
  // gives to such tokens; none: there are none.
  std::optional<double> elsewhere{};

  // The weight of a cell. Throws ShapeError where the grid has no such cell or no weights.
  float at(Index row, Index col) const;
  // Whether a region is padding. Its number is not checked.
  bool masked(std::size_t region) const { return !mask.empty() && mask[region] == 0; }
};

// What is shown of a map: its weights, or numbers that are made of them.
enum class MapMeasure { kWeight, kRelative, kGated };
// The names of the measures.
constexpr auto enum_table(MapMeasure) {
  return enum_rows<MapMeasure>(
      {{MapMeasure::kWeight, "weight", "the attention weights"},
       {MapMeasure::kRelative, "relative", "the weights divided by those of a uniform map"},
       {MapMeasure::kGated, "gated", "the weights times the word's gate"}});
}

// The map with its weights in a measure. A uniform map has equal weights on all regions that show
// some of the picture. Throws ShapeError for kGated where the map has no gate.
AttentionMap measured(AttentionMap map, MapMeasure measure);

// The mean of maps of the same regions, of which there is at least one: of their weights, and of
// gates and sentinels where all have them. A region is masked where all mask it, and chosen where
// all chose it; all else is that of the first. Throws ShapeError where the numbers of weights
// differ.
AttentionMap mean_map(std::span<const AttentionMap* const> maps);

// A map is uniform if its entropy is above this.
constexpr double kUniformEntropy = 0.99;

// The number of regions that show some of the picture. Throws ShapeError where the mask does not
// fit the weights.
Index unmasked_cells(const AttentionMap& map);
// Their weights, in order. Throws ShapeError, too.
std::vector<float> unmasked_weights(const AttentionMap& map);

// p_i = |w_i| / sum_j |w_j| over the regions that show some of the picture; empty where their
// weights sum to less than 1e-6.
std::vector<double> map_shares(const AttentionMap& map);
// -sum_i p_i log p_i / log L of the shares of L regions, in [0, 1]; 0 if L = 1. There is at least
// one.
double shares_entropy(const std::vector<double>& shares);
// The entropy of map_shares(); none where they are empty.
std::optional<double> map_entropy(const AttentionMap& map);
// Whether the map is uniform; a map without weight is not.
bool is_uniform(const AttentionMap& map);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
