// Exact gradients, to compare estimated ones with. For tests in double.
#pragma once

#include "core/nn/parameter_store.h"
#include "tests/support/catch.h"

namespace saccade::test {

// Under a sanitizer, which makes everything fifty times slower and looks for other mistakes than
// wrong numbers, the longest tests compare one number in seven.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr Index kComparedStep = 7;
#else
inline constexpr Index kComparedStep = 1;
#endif

// Central differences of a function of the parameters, by the numbers whose place is divisible by
// step; 0 for the others.
inline std::vector<double> numeric_gradient(ParameterStore& store,
                                            const std::function<double()>& value, Index step = 1) {
  std::vector<double> gradient(static_cast<std::size_t>(store.flat_size()), 0);
  for (const ParameterInfo& info : store.infos())
    for (Index i = 0; i < info.shape.size(); ++i) {
      if ((info.offset + i) % step != 0) continue;
      Real& x = store.flat()[info.offset + i];
      const Real kept = x, eps = 1e-5;
      x = kept + eps;
      const double up = value();
      x = kept - eps;
      const double down = value();
      x = kept;
      gradient[static_cast<std::size_t>(info.offset + i)] = (up - down) / (2 * eps);
    }
  return gradient;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b,
                                 Index step = 1) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); i += static_cast<std::size_t>(step)) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference;  // NaN gets through, so that it fails
  }
  return worst;
}

inline double norm(const std::vector<double>& a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace saccade::test
