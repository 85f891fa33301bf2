#include "captioning/search/trace.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

DecodedWord Trace::look(Index step, Index row) const {
  return steps_[static_cast<std::size_t>(step)].looks.of_row(row);
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
