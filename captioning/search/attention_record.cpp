#include "captioning/search/attention_record.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

AttentionRecord record_of(const StepOutput& output) {
  const Glimpse& glimpse = output.glimpse;
  AttentionRecord record;
  const ConstView weights = glimpse.weights.value();
  record.regions = weights.cols();
  record.weights.assign(weights.span().begin(), weights.span().end());
  for (const Var head : glimpse.heads) {
    const ConstView map = head.value();
    record.heads.emplace_back(map.span().begin(), map.span().end());
  }
  record.chosen.assign(glimpse.chosen.begin(), glimpse.chosen.end());
  for (const Glimpse& layer : output.layers)
    if (!layer.chosen.empty())
      record.choices.emplace_back(layer.chosen.begin(), layer.chosen.end());
  if (glimpse.gate) {
    const ConstView gates = glimpse.gate.value();
    for (Index r = 0; r < gates.rows(); ++r)
      record.gates.push_back(std::accumulate(gates.row(r), gates.row(r) + gates.cols(), 0.0) /
                             static_cast<double>(gates.cols()));
  }
  if (glimpse.sentinel) {
    const ConstView shares = glimpse.sentinel.value();
    record.sentinels.assign(shares.span().begin(), shares.span().end());
  }
  return record;
}

AttentionRecord mean_record(std::vector<AttentionRecord> records) {
  if (records.size() == 1) return std::move(records.front());
  AttentionRecord out;
  out.regions = records.front().regions;
  // The mean of the member, where all records have numbers for it.
  const auto mean = [&](auto member) {
    auto sum = records.front().*member;
    for (std::size_t m = 1; m < records.size(); ++m) {
      const auto& other = records[m].*member;
      if (sum.size() != other.size()) return decltype(sum){};
      std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
    }
    for (auto& x : sum) x /= static_cast<std::decay_t<decltype(x)>>(records.size());
    return sum;
  };
  out.weights = mean(&AttentionRecord::weights);
  SACCADE_CHECK(!out.weights.empty(), "[search] the maps of models on other grids have no mean");
  out.gates = mean(&AttentionRecord::gates);
  out.sentinels = mean(&AttentionRecord::sentinels);
  return out;
}

DecodedWord AttentionRecord::of_row(Index row) const {
  const auto place = static_cast<std::size_t>(row);
  DecodedWord word;
  const auto row_of = [&](const std::vector<float>& maps) {
    const auto begin = maps.begin() + row * regions;
    return std::vector<float>(begin, begin + regions);
  };
  word.attention = row_of(weights);
  for (const std::vector<float>& head : heads) word.heads.push_back(row_of(head));
  if (!chosen.empty()) word.chosen = chosen[place];
  for (const std::vector<int>& of_glimpse : choices) word.choices.push_back(of_glimpse[place]);
  if (!gates.empty()) word.gate = gates[place];
  if (!sentinels.empty()) word.sentinel = sentinels[place];
  return word;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
