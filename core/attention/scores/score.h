// The score axis: how well a region fits a query. A program adds its own to
// AttentionRegistry::scores.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/attention/attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The widths for which a score is made.
struct AttentionWidths {
  Index features = 0;  // K, the width of what is scored: D where the scores read the features
  Index query = 0;     // Q, the width of queries
  Index hidden = 0;    // A of one head: attention.hidden divided by the number of heads
  // The head that the score is made for, from 0. A score without parameters gives each head a slice
  // of the features and of the query.
  Index head = 0;
  Index heads = 1;  // how many heads there are
};

// A score. It declares its weights in its constructor, keeps their indices, and is constant
// afterwards: many tapes use it at once.
class Score {
 public:
  virtual ~Score() = default;
  // What is computed once per image: what is scored [M, L, K] -> the keys [M, L, A]. Their width is
  // the score's own affair, because only scores() reads them.
  virtual Var keys(Tape& tape, Var features) const = 0;
  // query [R, Q], keys as keys() made them -> scores [R, L], before normalisation. Query row r
  // reads memory r / group.
  virtual Var scores(Tape& tape, Var query, Var keys, Index group) const = 0;
};

// Makes the score of one head, which declares its weights in the scope.
using ScoreFactory =
    std::function<std::unique_ptr<Score>(const ParamScope&, const AttentionWidths&)>;

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
