#include "core/attention/scores/score.h"
#include "core/base/error.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// a_i' h (Luong et al. 2015): there are no parameters, so each head compares its own slice of both.
class DotScore : public Score {
 public:
  explicit DotScore(const AttentionWidths& w)
      : first_(w.head * (w.query / w.heads)), count_(w.query / w.heads) {
    if (w.features != w.query)
      throw UsageError(str("attention.score dot compares features of width ", w.features,
                           " with a query of width ", w.query,
                           "; they must be equal: set decoder.hidden to ", w.features,
                           ", or choose attention.score general or scaled_dot"));
    if (w.query % w.heads != 0)
      throw UsageError(str("attention.heads ", w.heads, " does not divide the width ", w.query,
                           " that attention.score dot compares"));
  }

  Var keys(Tape&, Var features) const override {
    const Shape shape = features.shape();
    if (count_ == shape[2]) return features;
    const Var flat = ops::reshape(features, {shape[0] * shape[1], shape[2]});
    return ops::reshape(ops::slice_cols(flat, first_, count_), {shape[0], shape[1], count_});
  }

  Var scores(Tape&, Var query, Var keys, Index group) const override {
    if (count_ != query.cols()) query = ops::slice_cols(query, first_, count_);
    return ops::dot_score(keys, query, 1, group);
  }

 private:
  Index first_, count_;
};

}  // namespace

std::unique_ptr<Score> make_dot_score(const ParamScope&, const AttentionWidths& widths) {
  return std::make_unique<DotScore>(widths);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
