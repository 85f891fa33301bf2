// oneDNN uses as many OpenMP threads as its caller may use, and its bits depend on their number.
#pragma once

#include <omp.h>

namespace saccade::kernels_detail {

// Limits the calling thread to one OpenMP thread, whether or not it belongs to our pool. Cheap.
inline void use_one_thread() {
  thread_local const bool done = (omp_set_num_threads(1), true);
  static_cast<void>(done);
}

}  // namespace saccade::kernels_detail
