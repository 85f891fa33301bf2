#include "core/attention/map.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::string MapPart::name() const {
  if (count == 0) return "";
  return fused ? std::string(enum_name(*fused)) : str(number);
}

std::string RegionLayout::name() const {
  if (!places) return str(grid.rows, " x ", grid.cols, " grid");
  return places->in_time ? str("series of ", places->count, " frames")
                         : str("list of ", places->count, " regions");
}

bool RegionLayout::operator==(const RegionLayout& other) const {
  if (grid != other.grid || !places != !other.places) return false;
  return !places || *places == *other.places;
}

std::string RegionLayout::region_name(Index region) const {
  if (places && places->in_time) {
    const auto frame = static_cast<std::size_t>(region);
    return frame < places->times.size() ? str("frame ", region, " (", places->times[frame], " s)")
                                        : str("frame ", region);
  }
  if (places) return str("region ", region);
  return str("row ", region / grid.cols, ", column ", region % grid.cols);
}

float AttentionMap::at(Index row, Index col) const {
  const GridSize& grid = layout.grid;
  SACCADE_CHECK(row >= 0 && row < grid.rows && col >= 0 && col < grid.cols, "[map] no cell in row ",
                row, " and column ", col, " of a grid of ", grid.rows, " x ", grid.cols);
  SACCADE_CHECK(static_cast<Index>(weights.size()) == layout.count(), "[map] ", weights.size(),
                " weights for a grid of ", grid.rows, " x ", grid.cols);
  return weights[static_cast<std::size_t>(row * grid.cols + col)];
}

AttentionMap measured(AttentionMap map, MapMeasure measure) {
  if (measure == MapMeasure::kWeight) return map;
  SACCADE_CHECK(measure == MapMeasure::kRelative || map.gate, "[map measure] a map has no gate");
  const auto factor = measure == MapMeasure::kRelative ? static_cast<float>(unmasked_cells(map))
                                                       : static_cast<float>(*map.gate);
  for (float& weight : map.weights) weight *= factor;
  return map;
}

AttentionMap mean_map(std::span<const AttentionMap* const> maps) {
  AttentionMap out = *maps[0];
  // Adds a number of another map, or has none where one of the two has none.
  const auto add = [](std::optional<double>& sum, const std::optional<double>& other) {
    sum = sum && other ? std::optional(*sum + *other) : std::nullopt;
  };
  for (const AttentionMap* other : maps.subspan(1)) {
    SACCADE_CHECK(other->weights.size() == out.weights.size(),
                  "[maps] the maps of models on other grids have no mean");
    std::transform(out.weights.begin(), out.weights.end(), other->weights.begin(),
                   out.weights.begin(), std::plus<>());
    add(out.gate, other->gate);
    add(out.sentinel, other->sentinel);
    add(out.elsewhere, other->elsewhere);
    if (other->mask.empty()) out.mask.clear();
    for (std::size_t l = 0; l < out.mask.size(); ++l)
      out.mask[l] = std::max(out.mask[l], other->mask[l]);
    if (other->chosen != out.chosen) out.chosen = -1;
  }
  const auto count = static_cast<double>(maps.size());
  for (float& weight : out.weights) weight /= static_cast<float>(count);
  if (out.gate) *out.gate /= count;
  if (out.sentinel) *out.sentinel /= count;
  if (out.elsewhere) *out.elsewhere /= count;
  return out;
}

Index unmasked_cells(const AttentionMap& map) {
  SACCADE_CHECK(map.mask.empty() || map.mask.size() == map.weights.size(), "[map] ",
                map.weights.size(), " weights, and a mask of ", map.mask.size(), " cells");
  return map.mask.empty() ? static_cast<Index>(map.weights.size())
                          : std::count(map.mask.begin(), map.mask.end(), 1);
}

std::vector<float> unmasked_weights(const AttentionMap& map) {
  if (map.mask.empty()) return map.weights;
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(unmasked_cells(map)));
  for (std::size_t l = 0; l < map.weights.size(); ++l)
    if (!map.masked(l)) out.push_back(map.weights[l]);
  return out;
}

std::vector<double> map_shares(const AttentionMap& map) {
  std::vector<double> shares;
  for (const float w : unmasked_weights(map)) shares.push_back(std::abs(static_cast<double>(w)));
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (total < 1e-6) return {};
  for (double& p : shares) p /= total;
  return shares;
}

double shares_entropy(const std::vector<double>& shares) {
  if (shares.size() == 1) return 0;
  double entropy = 0;
  for (const double p : shares)
    if (p > 0) entropy -= p * std::log(p);
  return entropy / std::log(static_cast<double>(shares.size()));
}

std::optional<double> map_entropy(const AttentionMap& map) {
  const std::vector<double> shares = map_shares(map);
  if (shares.empty()) return std::nullopt;
  return shares_entropy(shares);
}

bool is_uniform(const AttentionMap& map) { return map_entropy(map).value_or(0) > kUniformEntropy; }

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
