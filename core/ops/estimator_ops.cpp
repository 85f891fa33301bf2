#include "core/ops/estimator_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

Var reinforce(Var scores, Var weights, std::span<const int> chosen, const ReinforceRows& rows) {
  SACCADE_CHECK(
      scores.shape() == weights.shape() && static_cast<Index>(chosen.size()) == scores.rows(),
      "[reinforce] scores ", scores.shape(), ", weights ", weights.shape(), ", ", chosen.size(),
      " choices");
  Tape& tape = scores.tape();
  const std::span<int> picks = tape.keep(chosen);
  const Var y = tape.output({1}, {scores});
  tape.mutable_value(y)[0] = 0;
  tape.record(y, [=, t = &tape] {
    const Real g = t->grad(y)[0];
    const View de = t->grad(scores);
    for (Index r = 0; r < de.rows(); ++r) {
      const Real* alpha = weights.value().row(r);
      Real entropy = 0;
      for (Index l = 0; l < de.cols(); ++l)
        if (alpha[l] > 0) entropy -= alpha[l] * std::log(alpha[l]);
      const int pick = picks[static_cast<std::size_t>(r)];
      const Real advantage = pick >= 0 ? g * rows.estimator->advantage[rows.first + r] : Real{0};
      const Real bonus = g * rows.estimator->entropy_weight;
      for (Index l = 0; l < de.cols(); ++l) {
        // alpha log alpha -> 0 as alpha -> 0.
        const Real pull = alpha[l] > 0 ? alpha[l] * (std::log(alpha[l]) + entropy) : Real{0};
        de.row(r)[l] += advantage * ((l == pick ? Real{1} : Real{0}) - alpha[l]) + bonus * pull;
      }
    }
  });
  return y;
}

Var reinforce_weights(Var weights, std::span<const int> chosen, const ReinforceRows& rows) {
  SACCADE_CHECK(static_cast<Index>(chosen.size()) == weights.rows(), "[reinforce_weights] weights ",
                weights.shape(), ", ", chosen.size(), " choices");
  Tape& tape = weights.tape();
  const std::span<int> picks = tape.keep(chosen);
  const Var y = tape.output({1}, {weights});
  tape.mutable_value(y)[0] = 0;
  tape.record(y, [=, t = &tape] {
    const Real g = t->grad(y)[0];
    const View d = t->grad(weights);
    for (Index r = 0; r < d.rows(); ++r) {
      const Real* alpha = weights.value().row(r);
      const int pick = picks[static_cast<std::size_t>(r)];
      if (pick >= 0 && alpha[pick] > 0)
        d.row(r)[pick] += g * rows.estimator->advantage[rows.first + r] / alpha[pick];
      const Real bonus = g * rows.estimator->entropy_weight;
      for (Index l = 0; l < d.cols(); ++l)
        if (alpha[l] > 0) d.row(r)[l] += bonus * (std::log(alpha[l]) + 1);
    }
  });
  return y;
}

namespace {

// Whether a region counts. Where a weight is 0, or so small that its inverse is not finite, the
// cost of the region may be anything, and the region gets no gradient.
bool counts(Real weight) { return weight >= std::numeric_limits<Real>::min(); }

}  // namespace

Var marginal_nll(Var weights, Var nll) {
  SACCADE_CHECK(weights.shape() == nll.shape() && weights.cols() > 0, "[marginal_nll] weights ",
                weights.shape(), ", nll ", nll.shape());
  Tape& tape = weights.tape();
  const Index rows = weights.rows(), regions = weights.cols();
  const Var y = tape.output({rows}, {weights, nll});
  const View out = tape.mutable_value(y);
  for (Index r = 0; r < rows; ++r) {
    const Real* w = weights.value().row(r);
    const Real* cost = nll.value().row(r);
    Real least = std::numeric_limits<Real>::infinity(), sum = 0;
    for (Index l = 0; l < regions; ++l)
      if (counts(w[l])) least = std::min(least, cost[l]);
    for (Index l = 0; l < regions; ++l)
      if (counts(w[l])) sum += w[l] * std::exp(least - cost[l]);
    out[r] = least - std::log(sum);
  }
  tape.record(y, [=, t = &tape] {
    const ConstView dy = t->grad(y);
    for (Index r = 0; r < rows; ++r) {
      for (Index l = 0; l < regions; ++l) {
        if (!counts(weights.value().row(r)[l])) continue;
        // p(word | l) / p(word), whose mean under the weights is 1.
        const Real ratio = std::exp(y.value()[r] - nll.value().row(r)[l]);
        if (weights.requires_grad()) t->grad(weights).row(r)[l] -= dy[r] * ratio;
        if (nll.requires_grad())
          t->grad(nll).row(r)[l] += dy[r] * weights.value().row(r)[l] * ratio;
      }
    }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
