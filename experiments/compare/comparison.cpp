#include "experiments/compare/comparison.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

// The spread of a value over the seeds that did not fail.
template <class Value>
Spread spread_over(const ArmResult& arm, Value value) {
  std::vector<double> values;
  for (const SeedResult& seed : arm.seeds)
    if (!seed.failed()) values.push_back(value(seed));
  return spread_of(values);
}

const RegimeScores* find_regime(const SeedResult& seed, Regime regime) {
  const auto found = std::find_if(seed.regimes.begin(), seed.regimes.end(),
                                  [&](const RegimeScores& r) { return r.regime == regime; });
  return found == seed.regimes.end() ? nullptr : &*found;
}

std::vector<Regime> regimes_of(const ArmResult& arm) {
  std::vector<Regime> out;
  for (const SeedResult& seed : arm.seeds)
    for (const RegimeScores& r : seed.regimes)
      if (std::find(out.begin(), out.end(), r.regime) == out.end()) out.push_back(r.regime);
  return out;
}

// The spread of each named score over seeds, in the order in which the names first appear.
// `scores_of` gives the scores of a seed, or nullptr for none.
template <class ScoresOf>
std::vector<std::pair<std::string, Spread>> spreads_of(const ArmResult& arm, ScoresOf scores_of) {
  std::vector<std::pair<std::string, std::vector<double>>> values;
  for (const SeedResult& seed : arm.seeds) {
    const NamedScores* scores = seed.failed() ? nullptr : scores_of(seed);
    if (scores == nullptr) continue;
    for (const auto& [name, value] : *scores) {
      auto found = std::find_if(values.begin(), values.end(),
                                [&, key = &name](const auto& v) { return v.first == *key; });
      if (found == values.end()) found = values.insert(values.end(), {name, {}});
      found->second.push_back(value);
    }
  }
  std::vector<std::pair<std::string, Spread>> out;
  for (const auto& [name, numbers] : values) out.emplace_back(name, spread_of(numbers));
  return out;
}

}  // namespace

bool Comparison::complete() const {
  return std::all_of(arms.begin(), arms.end(), [](const ArmResult& arm) {
    return std::none_of(arm.seeds.begin(), arm.seeds.end(),
                        [](const SeedResult& seed) { return seed.failed(); });
  });
}

bool Comparison::empty() const {
  return std::all_of(arms.begin(), arms.end(), [](const ArmResult& arm) {
    return std::all_of(arm.seeds.begin(), arm.seeds.end(),
                       [](const SeedResult& seed) { return seed.failed(); });
  });
}

Spread spread_of(const std::vector<double>& values) {
  Spread out{.count = static_cast<Index>(values.size())};
  if (values.empty()) return out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.deviation = std::sqrt(squares / (count - 1));
  return out;
}

std::vector<Row> rows_of(const Comparison& comparison) {
  std::vector<Row> rows;
  for (const ArmResult& arm : comparison.arms) {
    Row row;
    row.arm = &arm;
    row.images = comparison.images;
    row.updates =
        spread_over(arm, [](const SeedResult& seed) { return static_cast<double>(seed.updates); });
    row.ms_per_update =
        spread_over(arm, [](const SeedResult& seed) { return seed.record.cost.ms_per_update; });
    row.captions_per_second = spread_over(
        arm, [](const SeedResult& seed) { return seed.record.cost.captions_per_second; });
    row.peak_memory = spread_over(arm, [](const SeedResult& seed) {
      return static_cast<double>(seed.record.cost.peak_memory);
    });
    row.estimator = spreads_of(arm, [](const SeedResult& seed) { return &seed.record.estimator; });
    for (const SeedResult& seed : arm.seeds)
      if (!seed.failed()) row.parameters = seed.parameters;
    for (const Regime regime : regimes_of(arm)) {
      row.regime = regime;
      row.metrics = spreads_of(arm, [&](const SeedResult& seed) {
        const RegimeScores* scores = find_regime(seed, regime);
        return scores ? &scores->corpus : nullptr;
      });
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace saccade
