#include "core/kernels/simplex.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

// The numbers scale (x - largest) above -1, in descending order. No others can have a weight: the
// largest has at most weight 1, so tau, on this scale, is at least -1. -infinity and NaN are left
// out.
std::span<const Real> candidates(std::span<const Real> x, Real largest, Real scale,
                                 std::span<Real> scratch) {
  std::size_t count = 0;
  for (const Real v : x) {
    const Real z = scale * (v - largest);
    if (z > -1) scratch[count++] = z;
  }
  std::sort(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(count),
            std::greater<>());
  return scratch.first(count);
}

// The threshold of sparsemax for descending numbers, the first of which is 0. NaN for none.
double sparsemax_threshold(std::span<const Real> z) {
  double tau = std::numeric_limits<double>::quiet_NaN(), sum = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const double v = z[k];
    sum += v;
    const double next = (sum - 1) / static_cast<double>(k + 1);
    if (k > 0 && next >= v) break;
    tau = next;
  }
  return tau;
}

// The threshold of entmax15 for such numbers: the root of sum_k (z_k - tau)^2 = 1 below all of
// them.
double entmax15_threshold(std::span<const Real> z) {
  double tau = std::numeric_limits<double>::quiet_NaN(), sum = 0, squares = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const double v = z[k], n = static_cast<double>(k + 1);
    sum += v;
    squares += v * v;
    const double mean = sum / n;
    const double spread = squares - n * mean * mean;  // sum_k (z_k - mean)^2
    const double next = mean - std::sqrt(std::max(0.0, 1 - spread) / n);
    if (k > 0 && next >= v) break;
    tau = next;
  }
  return tau;
}

// y = weight(scale (x - largest) - tau) for every row. A NaN stays where it is.
template <class Threshold, class Weight>
void project(ConstView x, View y, std::span<Real> scratch, Real scale, Threshold threshold,
             Weight weight) {
  const Index n = x.cols();
  for (Index r = 0; r < x.rows(); ++r) {
    const std::span<const Real> in(x.row(r), static_cast<std::size_t>(n));
    const Real largest = *std::max_element(in.begin(), in.end());
    const auto tau = static_cast<Real>(threshold(candidates(in, largest, scale, scratch)));
    for (Index l = 0; l < n; ++l) {
      const Real above = scale * (x.row(r)[l] - largest) - tau;
      y.row(r)[l] = above <= 0 ? Real{0} : weight(above);
    }
  }
}

}  // namespace

void sparsemax(ConstView x, View y, std::span<Real> scratch) {
  project(x, y, scratch, 1, sparsemax_threshold, [](Real above) { return above; });
}

void sparsemax_backward(ConstView y, ConstView dy, View dx) {
  for (Index r = 0; r < y.rows(); ++r) {
    Real sum = 0, support = 0;
    for (Index l = 0; l < y.cols(); ++l)
      if (y.row(r)[l] != 0) sum += dy.row(r)[l], support += 1;
    const Real mean = sum / support;
    for (Index l = 0; l < y.cols(); ++l)
      if (y.row(r)[l] != 0) dx.row(r)[l] += dy.row(r)[l] - mean;
  }
}

void entmax15(ConstView x, View y, std::span<Real> scratch) {
  project(x, y, scratch, Real(0.5), entmax15_threshold, [](Real above) { return above * above; });
}

void entmax15_backward(ConstView y, ConstView dy, View dx) {
  for (Index r = 0; r < y.rows(); ++r) {
    Real dot = 0, sum = 0;
    for (Index l = 0; l < y.cols(); ++l) {
      const Real s = std::sqrt(y.row(r)[l]);
      dot += s * dy.row(r)[l];
      sum += s;
    }
    for (Index l = 0; l < y.cols(); ++l)
      dx.row(r)[l] += std::sqrt(y.row(r)[l]) * (dy.row(r)[l] - dot / sum);
  }
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
