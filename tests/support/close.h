// Comparison of arrays that cannot pass by accident: empty input, different shapes, NaN and
// infinities all fail. CHECK(close(expected, got)) prints the first place that differs.
#pragma once

#include <cmath>
#include <ostream>

#include "core/tensor/tensor.h"

namespace saccade::test {

// |got - expected| <= absolute + relative |expected|, for every number.
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-6;
};

// True if all numbers agree. Otherwise it prints the reason.
struct Closeness {
  const char* fault = nullptr;
  Index wrong = 0, first = 0;  // the number of wrong ones, and the place of the first
  double expected = 0, got = 0;

  explicit operator bool() const { return fault == nullptr; }
};

inline std::ostream& operator<<(std::ostream& out, const Closeness& c) {
  if (c) return out << "close";
  out << c.fault;
  if (c.wrong > 0)
    out << ": " << c.wrong << " numbers, the first at " << c.first << " is " << c.got << ", not "
        << c.expected;
  return out;
}

inline Closeness close(ConstView expected, ConstView got, Tolerance tolerance = {}) {
  if (expected.size() == 0) return {.fault = "nothing to compare"};
  if (!(expected.shape == got.shape)) return {.fault = "shapes differ"};
  Closeness result;
  for (Index i = 0; i < expected.size(); ++i) {
    const double e = expected[i], g = got[i];
    if (std::abs(g - e) <= tolerance.absolute + tolerance.relative * std::abs(e) &&
        std::isfinite(e))
      continue;
    if (result.wrong++ == 0)
      result = {.fault = "numbers differ", .wrong = 1, .first = i, .expected = e, .got = g};
  }
  return result;
}

}  // namespace saccade::test
