// The members of a search with rows for words that their vocabulary lacks.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "captioning/model/search/search.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Copies the embedding [V, E], the matrix [in, V] and the bias [V] of each member, with one more
// row, column and number for each new word: the weighted means of those of the known words that it
// is like. Anderson et al. (2017, section 3.3) add words to tables that are GloVe vectors
// themselves; the tables of other models are spaces of their own, in which a word of a like meaning
// has the nearest row. Without new words nothing is copied.
class WordTables {
 public:
  // Both must outlive it. Throws ShapeError where a word is like one that is not known.
  WordTables(std::span<const SearchMember> members, const MustSay& must);
  std::span<const SearchMember> members() const { return members_; }

 private:
  void extend(SearchMember& member, const MustSay& must);

  std::vector<SearchMember> members_;
  std::deque<std::vector<ConstView>> parameters_;
  std::deque<Tensor> tables_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
