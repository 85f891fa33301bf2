#include <cmath>

#include "core/attention/scores/score.h"
#include "core/ops/linear.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// <W_k a_i, W_q h> / sqrt(A): the division keeps the variance of the scores near 1 for any width.
class ScaledDotScore : public Score {
 public:
  ScaledDotScore(const ParamScope& scope, const AttentionWidths& w)
      : key_weight_(scope.declare("key.weight", {w.features, w.hidden},
                                  Init::glorot(w.features, w.hidden))),
        query_weight_(
            scope.declare("query.weight", {w.query, w.hidden}, Init::glorot(w.query, w.hidden))),
        query_bias_(scope.declare("query.bias", {w.hidden}, Init::constant(0), Decay::kNo)),
        scale_(static_cast<Real>(1 / std::sqrt(static_cast<double>(w.hidden)))) {}

  // The keys have no bias: it would add the same number to all scores of a query.
  Var keys(Tape& tape, Var features) const override {
    return ops::linear(features, tape.parameter(key_weight_));
  }

  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    const Var projected =
        ops::linear(query, tape.parameter(query_weight_), tape.parameter(query_bias_));
    return ops::dot_score(keys, projected, scale_, group);
  }

 private:
  int key_weight_, query_weight_, query_bias_;
  Real scale_;
};

}  // namespace

std::unique_ptr<Score> make_scaled_dot_score(const ParamScope& scope,
                                             const AttentionWidths& widths) {
  return std::make_unique<ScaledDotScore>(scope, widths);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
