// What every call of oneDNN needs.
#pragma once

#include <omp.h>

#include <dnnl.hpp>
#include <new>

namespace saccade::kernels_detail {

// Limits the calling thread to one OpenMP thread, whether or not it belongs to our pool, because
// oneDNN's bits depend on the number of its threads. Cheap.
inline void use_one_thread() {
  thread_local const bool done = (omp_set_num_threads(1), true);
  static_cast<void>(done);
}

// Throws the error on, as std::bad_alloc where memory ran out.
[[noreturn]] inline void rethrow(const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
  throw error;
}

}  // namespace saccade::kernels_detail
