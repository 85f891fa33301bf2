#include <cmath>

#include "core/attention/scores/score.h"
#include "core/ops/linear.h"
#include "core/ops/norm_ops.h"
#include "core/ops/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// exp(t) cos(W a_i, U h + b): content addressing (Graves et al. 2014, eq. 5-6) in a learned space.
// The sharpness exp(t) is learned as its logarithm, so that it stays positive. It starts at
// sqrt(A), which is where the scores of scaled_dot would be for keys of unit variance.
class CosineScore : public Score {
 public:
  CosineScore(const ParamScope& scope, const AttentionWidths& w)
      : key_weight_(scope.declare("key.weight", {w.features, w.hidden},
                                  Init::glorot(w.features, w.hidden))),
        query_weight_(
            scope.declare("query.weight", {w.query, w.hidden}, Init::glorot(w.query, w.hidden))),
        query_bias_(scope.declare("query.bias", {w.hidden}, Init::constant(0), Decay::kNo)),
        log_sharpness_(scope.declare("log_sharpness", {1},
                                     Init::constant(std::log(static_cast<double>(w.hidden)) / 2),
                                     Decay::kNo)) {}

  Var keys(Tape& tape, Var features) const override {
    return ops::normalize_rows(ops::linear(features, tape.parameter(key_weight_)));
  }

  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    const Var unit = ops::normalize_rows(
        ops::linear(query, tape.parameter(query_weight_), tape.parameter(query_bias_)));
    const Var sharpness = ops::exp(tape.parameter(log_sharpness_));
    return ops::scale_by(ops::dot_score(keys, unit, 1, group), sharpness);
  }

 private:
  int key_weight_, query_weight_, query_bias_, log_sharpness_;
};

}  // namespace

std::unique_ptr<Score> make_cosine_score(const ParamScope& scope, const AttentionWidths& widths) {
  return std::make_unique<CosineScore>(scope, widths);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
