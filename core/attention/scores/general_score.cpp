#include "core/attention/scores/score.h"
#include "core/ops/linear.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// a_i' W h (Luong et al. 2015): the query moves into the features' space, the keys stay as they
// are.
struct GeneralScore : Score {
  GeneralScore(const ParamScope& scope, const AttentionWidths& w)
      : weight(scope.declare("weight", {w.query, w.features}, Init::glorot(w.query, w.features))) {}
  Var keys(Tape&, Var features) const override { return features; }
  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    return ops::dot_score(keys, ops::linear(query, tape.parameter(weight)), 1, group);
  }
  int weight;
};

std::unique_ptr<Score> make_general_score(const ParamScope& scope, const AttentionWidths& widths) {
  return std::make_unique<GeneralScore>(scope, widths);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
