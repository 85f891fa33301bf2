#include "captioning/statistics/student.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace saccade {

StudentTest student_test(double estimate, std::span<const VarianceComponent> components,
                         double level) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  double variance = 0, spread = 0;
  for (const VarianceComponent& part : components) {
    variance += part.variance;
    spread += part.variance * part.variance / part.degrees;  // NaN for 0 / 0
  }
  if (!std::isfinite(estimate) || !std::isfinite(variance) || !std::isfinite(spread)) {
    return {{kNaN, kNaN}, kNaN};
  }
  if (variance == 0) return {{estimate, estimate}, estimate == 0 ? 1.0 : 0.0};
  const boost::math::students_t student(variance * variance / spread);
  const double error = std::sqrt(variance);
  const double reach = boost::math::quantile(student, 1 - (1 - level) / 2) * error;
  const double p =
      2 * boost::math::cdf(boost::math::complement(student, std::abs(estimate) / error));
  return {{estimate - reach, estimate + reach}, std::min(1.0, p)};
}

}  // namespace saccade
