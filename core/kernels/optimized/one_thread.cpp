#include "core/kernels/optimized/one_thread.h"

#include <omp.h>

#include <dnnl.hpp>
#include <new>

namespace saccade::kernels_detail {

void use_one_thread() {
  thread_local const bool done = (omp_set_num_threads(1), true);
  static_cast<void>(done);
}

void rethrow(const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
  throw error;
}

}  // namespace saccade::kernels_detail
