#include "captioning/search/trace.h"

#include <numeric>

namespace saccade {
inline namespace SACCADE_NUMERIC {

void Trace::see(const StepOutput& output) {
  const Glimpse& glimpse = output.glimpse;
  Step step;
  const ConstView weights = glimpse.weights.value();
  step.regions = weights.cols();
  step.weights.assign(weights.span().begin(), weights.span().end());
  for (const Var head : glimpse.heads) {
    const ConstView map = head.value();
    step.heads.emplace_back(map.span().begin(), map.span().end());
  }
  step.chosen.assign(glimpse.chosen.begin(), glimpse.chosen.end());
  for (const Glimpse& look : output.layers)
    if (!look.chosen.empty()) step.choices.emplace_back(look.chosen.begin(), look.chosen.end());
  if (glimpse.gate) {
    const ConstView gates = glimpse.gate.value();
    for (Index r = 0; r < gates.rows(); ++r)
      step.gates.push_back(std::accumulate(gates.row(r), gates.row(r) + gates.cols(), 0.0) /
                           static_cast<double>(gates.cols()));
  }
  if (glimpse.sentinel) {
    const ConstView shares = glimpse.sentinel.value();
    step.sentinels.assign(shares.span().begin(), shares.span().end());
  }
  steps_.push_back(std::move(step));
}

DecodedWord Trace::look(Index step, Index row) const {
  const Step& from = steps_[static_cast<std::size_t>(step)];
  const auto place = static_cast<std::size_t>(row);
  DecodedWord word;
  const auto row_of = [&](const std::vector<float>& maps) {
    const auto begin = maps.begin() + row * from.regions;
    return std::vector<float>(begin, begin + from.regions);
  };
  word.attention = row_of(from.weights);
  for (const std::vector<float>& head : from.heads) word.heads.push_back(row_of(head));
  if (!from.chosen.empty()) word.chosen = from.chosen[place];
  for (const std::vector<int>& choices : from.choices) word.choices.push_back(choices[place]);
  if (!from.gates.empty()) word.gate = from.gates[place];
  if (!from.sentinels.empty()) word.sentinel = from.sentinels[place];
  return word;
}

std::vector<int> Trace::said(Index step, Index row) const {
  std::vector<int> words(static_cast<std::size_t>(step));
  for (std::size_t t = words.size(); t-- > 0;) {
    const Said& last = steps_[t].said[static_cast<std::size_t>(row)];
    words[t] = last.word;
    row = last.row;
  }
  return words;
}

std::vector<DecodedWord> Trace::words(Index step, Index row) const {
  std::vector<DecodedWord> words(static_cast<std::size_t>(step));
  for (std::size_t t = words.size(); t-- > 0;) {
    const Said& said = steps_[t].said[static_cast<std::size_t>(row)];
    words[t] = look(static_cast<Index>(t), said.row);
    words[t].id = said.word;
    words[t].log_prob = said.log_prob;
    row = said.row;
  }
  return words;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
