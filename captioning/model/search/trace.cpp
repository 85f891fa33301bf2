#include "captioning/model/search/trace.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

const DecodedWord& Trace::attention(Index step, Index row) const {
  return steps_[static_cast<std::size_t>(step)].attention[static_cast<std::size_t>(row)];
}

std::vector<int> Trace::prefix(Index step, Index row) const {
  std::vector<int> words(static_cast<std::size_t>(step));
  for (std::size_t t = words.size(); t-- > 0;) {
    const Backpointer& last = steps_[t].backpointers[static_cast<std::size_t>(row)];
    words[t] = last.word;
    row = last.row;
  }
  return words;
}

std::vector<DecodedWord> Trace::words(Index step, Index row) const {
  std::vector<DecodedWord> words(static_cast<std::size_t>(step));
  for (std::size_t t = words.size(); t-- > 0;) {
    const Backpointer& last = steps_[t].backpointers[static_cast<std::size_t>(row)];
    words[t] = attention(static_cast<Index>(t), last.row);
    words[t].id = last.word;
    words[t].log_prob = last.log_prob;
    row = last.row;
  }
  return words;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
