// Products in another precision while a value lives.
#pragma once

#include "core/kernels/precision.h"
#include "tests/support/catch.h"

namespace saccade::test {

// Whether products of bfloat16 numbers can be tested here; says so where they cannot.
inline bool has_bf16() {
  if (!multiplies_bf16()) WARN("skipped: this processor does not multiply bfloat16 numbers");
  return multiplies_bf16();
}

class WithPrecision {
 public:
  explicit WithPrecision(Precision precision) : before_(saccade::precision()) {
    set_precision(precision);
  }
  ~WithPrecision() { set_precision(before_); }
  WithPrecision(const WithPrecision&) = delete;
  WithPrecision& operator=(const WithPrecision&) = delete;

 private:
  Precision before_;
};

}  // namespace saccade::test
