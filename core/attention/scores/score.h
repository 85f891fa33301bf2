// The score axis: how well a region fits a query. A score is one file and one line in scores.def.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/attention/attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct AttentionWidths {
  Index features = 0;  // K, the width of what is scored: D where the scores read the features
  Index query = 0;     // Q
  Index hidden = 0;    // A of one head
  // A score without parameters gives each head a slice of the features and of the query.
  Index head = 0, heads = 1;
};

class Score {
 public:
  virtual ~Score() = default;
  // What is computed once per image: what is scored [M, L, K] -> the keys [M, L, A].
  virtual Var keys(Tape& tape, Var features) const = 0;
  // query [R, Q] -> scores [R, L], before normalisation.
  virtual Var scores(Tape& tape, Var query, Var keys, Index group) const = 0;
};

using ScoreFactory =
    std::function<std::unique_ptr<Score>(const ParamScope&, const AttentionWidths&)>;

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
