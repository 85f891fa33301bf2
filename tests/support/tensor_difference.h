// For tests that compare two implementations of the same computation, such as a kernel and its
// reference version: noise as input, and the difference of results. The largest number sets the
// scale of rounding errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/tensor/tensor.h"

namespace saccade::test {

// N(mean, 1) numbers, which differ from sample to sample.
inline Tensor noise(const Shape& shape, std::uint64_t sample, double mean = 0) {
  Tensor tensor(shape);
  Random random({1, Stream::kTest, 0, sample});
  for (Real& v : tensor.span()) v = static_cast<Real>(mean + random.normal());
  return tensor;
}

// The largest difference as a share of the largest number; infinite where shapes differ, where
// there is nothing to compare, or where a number is not finite.
inline double difference(const Tensor& expected, const Tensor& got) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!(expected.shape() == got.shape()) || expected.empty()) return kInfinite;
  double most = 0, scale = 0;
  for (Index i = 0; i < expected.size(); ++i) {
    const double d = std::abs(double{expected[i]} - double{got[i]});
    if (!std::isfinite(d)) return kInfinite;
    most = std::max(most, d);
    scale = std::max(scale, std::abs(double{expected[i]}));
  }
  return most == 0 ? 0 : most / scale;
}

}  // namespace saccade::test
