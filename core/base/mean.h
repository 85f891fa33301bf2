// A running mean.
#pragma once

#include "core/base/real.h"

namespace saccade {

struct Mean {
  double sum = 0;
  Index count = 0;

  void add(double x) { sum += x, ++count; }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }  // 0 of none
};

}  // namespace saccade
