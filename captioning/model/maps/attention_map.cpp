#include "captioning/model/maps/attention_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::string MapPart::name() const {
  if (count == 0) return "";
  return fused ? std::string(enum_name(*fused)) : str(number);
}

float AttentionMap::at(Index row, Index col) const {
  SACCADE_CHECK(row >= 0 && row < grid.rows && col >= 0 && col < grid.cols, "[map] no cell in row ",
                row, " and column ", col, " of a grid of ", grid.rows, " x ", grid.cols);
  SACCADE_CHECK(static_cast<Index>(weights.size()) == grid.cells(), "[map] ", weights.size(),
                " weights for a grid of ", grid.rows, " x ", grid.cols);
  return weights[static_cast<std::size_t>(row * grid.cols + col)];
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
