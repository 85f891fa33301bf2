// The error of an estimate whose variance is a sum of estimated variances, by Student's t:
// intervals, p-values, whether an estimate is within a margin, and which differences could be found
// at all.
#pragma once

#include <vector>

#include "captioning/scoring/statistics/resampling.h"

namespace saccade {

struct VarianceComponent {
  double variance = 0;  // of the estimate
  double degrees = 0;   // of freedom of that variance
};

// How the components v_i become the reach of an interval.
enum class Combination {
  // t sqrt(sum v_i) with the degrees of freedom of the sum (Satterthwaite, Biometrics Bulletin 2,
  // 1946). Where one component has few degrees and another many, it is too narrow.
  kSatterthwaite,
  // sqrt(sum t_i^2 v_i): each component has the t of its own degrees. It is never too narrow.
  kEachItsOwn,
};

class EstimateError {
 public:
  // Of an unknown error: every result is NaN.
  EstimateError() = default;
  // The error is unknown where a number is NaN or a component has no degree of freedom.
  EstimateError(std::vector<VarianceComponent> components, Combination combination);

  bool known() const;
  // The estimate give or take what it may be off; it leaves out 0 exactly where p_value() is below
  // 1 - level.
  Interval interval(double estimate, double level) const;
  // Two-sided, for a true value of 0. Without any variance 1 for an estimate of 0, and 0 for any
  // other.
  double p_value(double estimate) const;
  // The p-value of "the true value is not within (-margin, margin)": the larger one of two
  // one-sided tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
  double p_outside(double estimate, double margin) const;
  // The smallest true value that a two-sided test of this size finds with this power, if the
  // variances are as estimated.
  double detectable(double size, double power = 0.8) const;

 private:
  double variance() const;
  double reach(double tail) const;     // that the estimate exceeds with this one-sided probability
  double tail_of(double reach) const;  // the inverse

  std::vector<VarianceComponent> components_;
  Combination combination_ = Combination::kSatterthwaite;
};

}  // namespace saccade
