#include <cmath>

#include "core/attention/scores/score.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// v' tanh(W [h; a_i] + b) with one matrix W for both (Luong et al. 2015, "concat"). The rows of W
// for h and those for a_i are used separately, so [h; a_i] is never built. The difference from
// `additive` is that query and region share that one matrix, its initial spread and its norm.
class ConcatScore : public Score {
 public:
  ConcatScore(const ParamScope& scope, const AttentionWidths& w)
      : query_width_(w.query),
        feature_width_(w.features),
        weight_(scope.declare("weight", {w.query + w.features, w.hidden},
                              Init::glorot(w.query + w.features, w.hidden))),
        bias_(scope.declare("bias", {w.hidden}, Init::constant(0), Decay::kNo)),
        vector_(scope.declare("vector", {w.hidden},
                              Init::uniform(1 / std::sqrt(static_cast<double>(w.hidden))))) {}

  Var keys(Tape& tape, Var features) const override {
    const Var rows = ops::slice_rows(tape.parameter(weight_), query_width_, feature_width_);
    return ops::linear(features, rows, tape.parameter(bias_));
  }

  Var scores(Tape& tape, Var query, Var keys, Index group) const override {
    const Var rows = ops::first_rows(tape.parameter(weight_), query_width_);
    return ops::additive_score(keys, ops::linear(query, rows), tape.parameter(vector_), group);
  }

 private:
  Index query_width_, feature_width_;
  int weight_, bias_, vector_;
};

}  // namespace

std::unique_ptr<Score> make_concat_score(const ParamScope& scope, const AttentionWidths& widths) {
  return std::make_unique<ConcatScore>(scope, widths);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
