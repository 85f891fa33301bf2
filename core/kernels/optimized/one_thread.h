// What every call of oneDNN needs.
#pragma once

namespace dnnl {
struct error;
}

namespace saccade::kernels_detail {

// Limits the calling thread to one OpenMP thread, whether or not it belongs to our pool, because
// oneDNN's bits depend on the number of its threads. Cheap.
void use_one_thread();

// Throws the error on, as std::bad_alloc where memory ran out.
[[noreturn]] void rethrow(const dnnl::error& error);

}  // namespace saccade::kernels_detail
