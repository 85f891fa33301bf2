#include "captioning/search/looks.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Looks looks_of(const StepOutput& output) {
  const Glimpse& glimpse = output.glimpse;
  Looks looks;
  const ConstView weights = glimpse.weights.value();
  looks.regions = weights.cols();
  looks.weights.assign(weights.span().begin(), weights.span().end());
  for (const Var head : glimpse.heads) {
    const ConstView map = head.value();
    looks.heads.emplace_back(map.span().begin(), map.span().end());
  }
  looks.chosen.assign(glimpse.chosen.begin(), glimpse.chosen.end());
  for (const Glimpse& look : output.layers)
    if (!look.chosen.empty()) looks.choices.emplace_back(look.chosen.begin(), look.chosen.end());
  if (glimpse.gate) {
    const ConstView gates = glimpse.gate.value();
    for (Index r = 0; r < gates.rows(); ++r)
      looks.gates.push_back(std::accumulate(gates.row(r), gates.row(r) + gates.cols(), 0.0) /
                            static_cast<double>(gates.cols()));
  }
  if (glimpse.sentinel) {
    const ConstView shares = glimpse.sentinel.value();
    looks.sentinels.assign(shares.span().begin(), shares.span().end());
  }
  return looks;
}

Looks mean_looks(std::vector<Looks> each) {
  if (each.size() == 1) return std::move(each.front());
  Looks out;
  out.regions = each.front().regions;
  // Where all have numbers, their mean.
  const auto mean = [&](auto member) {
    auto sum = each.front().*member;
    for (std::size_t m = 1; m < each.size(); ++m) {
      const auto& other = each[m].*member;
      if (sum.size() != other.size()) return decltype(sum){};
      std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
    }
    for (auto& x : sum) x /= static_cast<std::decay_t<decltype(x)>>(each.size());
    return sum;
  };
  out.weights = mean(&Looks::weights);
  SACCADE_CHECK(!out.weights.empty(), "[search] the maps of models on other grids have no mean");
  out.gates = mean(&Looks::gates);
  out.sentinels = mean(&Looks::sentinels);
  return out;
}

DecodedWord Looks::of_row(Index row) const {
  const auto place = static_cast<std::size_t>(row);
  DecodedWord word;
  const auto row_of = [&](const std::vector<float>& maps) {
    const auto begin = maps.begin() + row * regions;
    return std::vector<float>(begin, begin + regions);
  };
  word.attention = row_of(weights);
  for (const std::vector<float>& head : heads) word.heads.push_back(row_of(head));
  if (!chosen.empty()) word.chosen = chosen[place];
  for (const std::vector<int>& of_look : choices) word.choices.push_back(of_look[place]);
  if (!gates.empty()) word.gate = gates[place];
  if (!sentinels.empty()) word.sentinel = sentinels[place];
  return word;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
