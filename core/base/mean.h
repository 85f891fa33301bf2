// A running mean.
#pragma once

#include "core/base/real.h"

namespace saccade {

struct Mean {
  double sum = 0;
  Index count = 0;

  void add(double x) { sum += x, ++count; }
  // The mean; 0 if nothing was added.
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

}  // namespace saccade
