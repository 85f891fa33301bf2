#include "captioning/scoring/statistics/student.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace saccade {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kSteps = 80;  // of a bisection: enough for the last digit

// t with this upper tail.
double student(double degrees, double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), tail));
}

// Satterthwaite's degrees of freedom of a sum of variances that is not 0.
double joint_degrees(const std::vector<VarianceComponent>& components) {
  double variance = 0, spread = 0;
  for (const VarianceComponent& part : components) {
    variance += part.variance;
    spread += part.variance * part.variance / part.degrees;
  }
  return variance * variance / spread;
}

// The x in [low, high] at which a rising function reaches a value.
template <class Function>
double where(double low, double high, double value, Function rising) {
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (rising(middle) < value ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

EstimateError::EstimateError(std::vector<VarianceComponent> components, Combination combination)
    : components_(std::move(components)), combination_(combination) {
  for (const VarianceComponent& part : components_) {
    if (std::isfinite(part.variance) && part.degrees > 0) continue;
    components_.clear();
    break;
  }
}

bool EstimateError::known() const { return !components_.empty(); }

double EstimateError::variance() const {
  double sum = 0;
  for (const VarianceComponent& part : components_) sum += part.variance;
  return sum;
}

double EstimateError::reach(double tail) const {
  const double sum = variance();
  if (sum == 0) return 0;
  if (combination_ == Combination::kSatterthwaite)
    return student(joint_degrees(components_), tail) * std::sqrt(sum);
  double squares = 0;
  for (const VarianceComponent& part : components_) {
    if (part.variance == 0) continue;
    const double t = student(part.degrees, tail);
    squares += t * t * part.variance;
  }
  return std::sqrt(squares);
}

double EstimateError::tail_of(double distance) const {
  if (distance < 0) return 1 - tail_of(-distance);
  if (distance == 0) return 0.5;
  const double sum = variance();
  if (sum == 0) return 0;
  if (combination_ == Combination::kSatterthwaite)
    return boost::math::cdf(boost::math::complement(
        boost::math::students_t(joint_degrees(components_)), distance / std::sqrt(sum)));
  constexpr double kLeast = -60;  // the smallest tail as a power of ten
  const double power =
      where(kLeast, std::log10(0.5), -distance, [&](double x) { return -reach(std::pow(10, x)); });
  return std::pow(10, power);
}

Interval EstimateError::interval(double estimate, double level) const {
  if (!known() || !std::isfinite(estimate)) return {kUnknown, kUnknown};
  const double half = reach((1 - level) / 2);
  return {estimate - half, estimate + half};
}

double EstimateError::p_value(double estimate) const {
  if (!known() || !std::isfinite(estimate)) return kUnknown;
  return std::min(1.0, 2 * tail_of(std::abs(estimate)));
}

double EstimateError::p_outside(double estimate, double margin) const {
  if (!known() || !std::isfinite(estimate)) return kUnknown;
  return tail_of(margin - std::abs(estimate));  // the margin that is nearer decides
}

double EstimateError::detectable(double size, double power) const {
  if (!known()) return kUnknown;
  const double error = std::sqrt(variance());
  if (error == 0) return 0;
  const double critical = reach(size / 2) / error;
  // The degrees of freedom with which a single t would have this critical value.
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const VarianceComponent& part : components_) {
    least = std::min(least, part.degrees);
    most += part.degrees;
  }
  const double degrees = std::exp(where(std::log(least), std::log(most), -critical,
                                        [&](double x) { return -student(std::exp(x), size / 2); }));
  // The estimated error is the true one times sqrt(chi^2 / degrees), at evenly spread quantiles.
  constexpr int kQuantiles = 400;
  std::vector<double> limits;
  const boost::math::chi_squared chi(degrees);
  for (int q = 0; q < kQuantiles; ++q)
    limits.push_back(critical *
                     std::sqrt(boost::math::quantile(chi, (q + 0.5) / kQuantiles) / degrees));
  const boost::math::normal normal;
  const auto found = [&](double shift) {
    double sum = 0;
    for (const double limit : limits) sum += boost::math::cdf(normal, shift - limit);
    return sum / kQuantiles;
  };
  return error * where(0, critical * 4 + 10, power, found);
}

}  // namespace saccade
