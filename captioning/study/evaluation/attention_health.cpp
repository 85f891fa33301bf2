#include "captioning/study/evaluation/attention_health.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/base/mean.h"

namespace saccade {

namespace {

using Map = std::vector<double>;

double divergence(const Map& p, const Map& q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double middle = (p[i] + q[i]) / 2;
    if (p[i] > 0) sum += p[i] * std::log2(p[i] / middle);
    if (q[i] > 0) sum += q[i] * std::log2(q[i] / middle);
  }
  return std::max(0.0, sum / 2);  // rounding must not make it negative
}

double spread(const std::vector<Map>& maps) {
  Mean cells;
  for (std::size_t i = 0; i < maps[0].size(); ++i) {
    Mean mean, square;
    for (const Map& map : maps) mean.add(map[i]);
    for (const Map& map : maps) square.add((map[i] - mean.value()) * (map[i] - mean.value()));
    cells.add(std::sqrt(square.value()));
  }
  return cells.value();
}

double coverage_excess(const std::vector<Map>& maps) {
  const double even = static_cast<double>(maps.size()) / static_cast<double>(maps[0].size());
  double excess = 0;
  for (std::size_t i = 0; i < maps[0].size(); ++i) {
    double seen = 0;
    for (const Map& map : maps) seen += map[i];
    excess += (seen - even) * (seen - even);
  }
  return excess;
}

// The deviations from the mean, divided by their length; empty for a flat map.
Map standardised(const std::vector<float>& weights) {
  Map map(weights.begin(), weights.end());
  const auto square_of = [&] {
    return std::inner_product(map.begin(), map.end(), map.begin(), 0.0);
  };
  const double before = square_of();
  const double mean =
      std::accumulate(map.begin(), map.end(), 0.0) / static_cast<double>(map.size());
  for (double& w : map) w -= mean;
  const double square = square_of();
  // What rounding leaves of equal weights is no shape to correlate.
  if (square <= 1e-10 * before) return {};
  for (double& w : map) w /= std::sqrt(square);
  return map;
}

// Of the heads of the last layer.
void correlate_heads(const DecodedWord& word, Mean& correlation) {
  std::vector<Map> maps;
  for (const AttentionMap& part : word.parts)
    if (part.layer == word.map.layer) maps.push_back(standardised(unmasked_weights(part)));
  for (std::size_t a = 0; a < maps.size(); ++a)
    for (std::size_t b = a + 1; b < maps.size(); ++b)
      if (!maps[a].empty() && !maps[b].empty())
        correlation.add(std::inner_product(maps[a].begin(), maps[a].end(), maps[b].begin(), 0.0));
}

// What the draws of one region per word tell of a caption's maps.
struct Told {
  double from_uniform = 0, from_one_cell = 0;
};
std::optional<Told> told_of(const std::vector<Map>& maps) {
  double information = 0, largest = 1;  // nats; the probability of all largest cells
  bool any = false;
  for (const Map& map : maps) {
    if (map.size() < 2) continue;
    any = true;
    information += (1 - shares_entropy(map)) * std::log(static_cast<double>(map.size()));
    largest *= *std::max_element(map.begin(), map.end());
  }
  if (!any) return {};
  information = std::max(information, 0.0);  // but for rounding
  return Told{
      .from_uniform = std::min(std::sqrt(information / 2), std::sqrt(1 - std::exp(-information))),
      .from_one_cell = 1 - largest};
}

// A mean with its standard error.
struct Measured {
  Mean mean, square;
  void add(double x) { mean.add(x), square.add(x * x); }
  double error() const {
    if (mean.count < 2) return 0;
    const double variance = std::max(0.0, square.value() - mean.value() * mean.value());
    return std::sqrt(variance / static_cast<double>(mean.count - 1));
  }
};

// The standard error of the share sum(parts) / sum(wholes), where captions and not maps are drawn:
// maps of one caption are alike.
struct ShareError {
  std::vector<double> parts, wholes;
  double value() const {
    const auto count = static_cast<double>(parts.size());
    const double whole = std::accumulate(wholes.begin(), wholes.end(), 0.0);
    if (parts.size() < 2 || !(whole > 0)) return 0;
    const double share = std::accumulate(parts.begin(), parts.end(), 0.0) / whole;
    double square = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double off = parts[i] - share * wholes[i];
      square += off * off;
    }
    return std::sqrt(square * count / (count - 1)) / whole;
  }
};

double measured(const Mean& mean) {
  return mean.count > 0 ? mean.value() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

AttentionHealth attention_health(std::span<const DecodedCaption> captions) {
  Mean entropy, largest, divergences, spreads, excess, correlation, statics, uniforms;
  Measured uniform_told, cell_told;
  ShareError static_error;
  Index with_maps = 0;
  for (const DecodedCaption& caption : captions) {
    std::vector<Map> maps;
    Map before;
    double still = 0, pairs = 0;
    for (const DecodedWord& word : caption.words) {
      SACCADE_CHECK(word.map.weights.size() == caption.words[0].map.weights.size(),
                    "[health] a caption with maps of ", caption.words[0].map.weights.size(),
                    " and ", word.map.weights.size(), " regions");
      Map map = map_shares(word.map);
      if (!map.empty()) {
        entropy.add(shares_entropy(map));
        uniforms.add(shares_entropy(map) > kUniformEntropy ? 1 : 0);
        largest.add(*std::max_element(map.begin(), map.end()));
        correlate_heads(word, correlation);
        maps.push_back(map);
      }
      if (!map.empty() && !before.empty()) {
        const double moved = divergence(map, before);
        divergences.add(moved);
        const double repeats = moved < kStaticDivergence ? 1 : 0;
        statics.add(repeats);
        still += repeats;
        ++pairs;
      }
      before = std::move(map);
    }
    if (maps.size() >= 2) spreads.add(spread(maps));
    if (!maps.empty()) {
      excess.add(coverage_excess(maps));
      ++with_maps;
    }
    if (pairs > 0) {
      static_error.parts.push_back(still);
      static_error.wholes.push_back(pairs);
    }
    if (const std::optional<Told> told = told_of(maps)) {
      uniform_told.add(told->from_uniform);
      cell_told.add(told->from_one_cell);
    }
  }
  AttentionHealth health{.words = entropy.count,
                         .captions = with_maps,
                         .entropy = measured(entropy),
                         .largest = measured(largest),
                         .divergence = measured(divergences),
                         .spread = measured(spreads),
                         .coverage_excess = measured(excess),
                         .static_share = measured(statics),
                         .static_error = static_error.value(),
                         .uniform_share = measured(uniforms),
                         .from_uniform = measured(uniform_told.mean),
                         .from_one_cell = measured(cell_told.mean),
                         .from_uniform_error = uniform_told.error(),
                         .from_one_cell_error = cell_told.error(),
                         .head_correlation = {}};
  if (correlation.count > 0) health.head_correlation = correlation.value();
  return health;
}

NamedScores AttentionHealth::scores() const {
  NamedScores out = {{"entropy", entropy},
                     {"max_weight", largest},
                     {"js_divergence", divergence},
                     {"spread", spread},
                     {"coverage_excess", coverage_excess},
                     {"static_share", static_share},
                     {"uniform_share", uniform_share},
                     {"from_uniform", from_uniform},
                     {"from_one_cell", from_one_cell}};
  if (head_correlation) out.emplace_back("head_correlation", *head_correlation);
  return out;
}

}  // namespace saccade
