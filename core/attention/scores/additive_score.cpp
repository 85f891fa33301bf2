#include <cmath>

#include "core/attention/scores/score.h"
#include "core/ops/linear.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// v' tanh(W_a a_i + W_h h + b). W_a a_i + b is computed once per image. Both terms stand inside the
// tanh, so that the map depends on the query (outside, the query's term would cancel in the
// softmax).
class AdditiveScore : public Score {
 public:
  AdditiveScore(const ParamScope& scope, const AttentionWidths& w)
      : key_weight_(scope.declare("key.weight", {w.features, w.hidden},
                                  Init::glorot(w.features, w.hidden))),
        key_bias_(scope.declare("key.bias", {w.hidden}, Init::constant(0), Decay::kNo)),
        query_weight_(
            scope.declare("query.weight", {w.query, w.hidden}, Init::glorot(w.query, w.hidden))),
        vector_(scope.declare("vector", {w.hidden},
                              Init::uniform(1 / std::sqrt(static_cast<double>(w.hidden))))) {}

  Var keys(Tape& tape, Var features) const override {
    return ops::linear(features, tape.parameter(key_weight_), tape.parameter(key_bias_));
  }

  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    const Var projected = ops::linear(query, tape.parameter(query_weight_));  // [R, A]
    return ops::additive_score(keys, projected, tape.parameter(vector_), group);
  }

 private:
  int key_weight_, key_bias_, query_weight_, vector_;
};

}  // namespace

std::unique_ptr<Score> make_additive_score(const ParamScope& scope, const AttentionWidths& widths) {
  return std::make_unique<AdditiveScore>(scope, widths);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
