// What products and convolutions share that read weights in a layout of oneDNN's.
#pragma once

#include <dnnl.hpp>

namespace saccade::kernels_detail {

// The number of the way from one layout to another, for packed_weights(): the same for the same
// two descriptions, in all threads.
int layout_number(const dnnl::memory::desc& ours, const dnnl::memory::desc& theirs);

// Brings numbers from one layout to another. A reorder may have memory of its own to work in, so
// each call makes one, and several threads may call. Throws as rethrow() does.
void reorder(const dnnl::memory& from, dnnl::memory& to);

// oneDNN's processor, and the calling thread's stream on it, which is limited to one OpenMP thread.
const dnnl::engine& engine();
dnnl::stream& stream();

}  // namespace saccade::kernels_detail
