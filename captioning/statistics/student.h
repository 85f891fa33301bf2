// Intervals and p-values of an estimate whose variance is a sum of estimated variances, by
// Student's t with Satterthwaite's degrees of freedom (Biometrics Bulletin 2, 1946).
#pragma once

#include <span>

#include "captioning/statistics/resampling.h"

namespace saccade {

struct VarianceComponent {
  double variance = 0;  // of the estimate
  double degrees = 0;   // of freedom of that variance
};

struct StudentTest {
  Interval interval;
  double p_value = 1;  // two-sided, for an estimate of 0
};

// All results are NaN when a number is NaN or a component has no degree of freedom. Without any
// variance, the interval is the estimate, and p is 1 for an estimate of 0 and 0 for any other.
StudentTest student_test(double estimate, std::span<const VarianceComponent> components,
                         double level);

}  // namespace saccade
