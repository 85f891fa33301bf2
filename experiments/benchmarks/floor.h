// The time that a piece of work would take if nothing but its products, convolutions, exponentials
// and updates of weights took time, each at the speed that this machine reaches at the same size.
#pragma once

#include "core/kernels/work_log.h"

namespace saccade {

// In ms, for one call of the work on so many threads that share it evenly.
struct Floor {
  double products = 0, convolutions = 0, exponentials = 0, weights = 0;
  double product_gflops = 0;  // of all products, on one thread
  double sum() const { return products + convolutions + exponentials + weights; }
};

// Measures the sizes in the log, of `calls` calls, each alone on one thread; and how fast all
// threads read and write memory together. An update reads four numbers of each of the `parameters`
// and writes three (Adam).
Floor measure_floor(const WorkLog& log, Index calls, int threads, Index parameters);

}  // namespace saccade
