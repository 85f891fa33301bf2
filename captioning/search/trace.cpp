#include "captioning/search/trace.h"

#include <algorithm>

namespace saccade {
inline namespace SACCADE_NUMERIC {

void Trace::see(const Glimpse& glimpse) {
  Step step;
  const ConstView weights = glimpse.weights.value();
  step.regions = weights.cols();
  step.weights.assign(weights.span().begin(), weights.span().end());
  step.chosen.assign(glimpse.chosen.begin(), glimpse.chosen.end());
  if (glimpse.gate) {
    const ConstView gates = glimpse.gate.value();
    step.gates.assign(gates.span().begin(), gates.span().end());
  }
  steps_.push_back(std::move(step));
}

std::vector<DecodedWord> Trace::words(Index step, Index row) const {
  std::vector<DecodedWord> words(static_cast<std::size_t>(step));
  for (std::size_t t = words.size(); t-- > 0;) {
    const Step& from = steps_[t];
    const Said& said = from.said[static_cast<std::size_t>(row)];
    const auto place = static_cast<std::size_t>(said.row);
    DecodedWord& word = words[t];
    word.id = said.word;
    word.log_prob = said.log_prob;
    const auto begin = from.weights.begin() + said.row * from.regions;
    word.attention.assign(begin, begin + from.regions);
    if (!from.chosen.empty()) word.chosen = from.chosen[place];
    if (!from.gates.empty()) word.gate = from.gates[place];
    row = said.row;
  }
  return words;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
