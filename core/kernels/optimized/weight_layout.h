// What products and convolutions share that read weights in a layout of oneDNN's.
#pragma once

namespace dnnl {
struct engine;
struct memory;
struct stream;
}  // namespace dnnl

namespace saccade::kernels_detail {

// The number of the way from the layout of one memory to that of another, for packed_weights(): the
// same for the same two layouts, in all threads. The numbers in them do not matter.
int layout_number(const dnnl::memory& ours, const dnnl::memory& theirs);

// Brings numbers from one layout to another. A reorder may have memory of its own to work in, so
// each call makes one, and several threads may call. Throws as rethrow() does.
void reorder(const dnnl::memory& from, dnnl::memory& to);

// oneDNN's processor, and the calling thread's stream on it, which is limited to one OpenMP thread.
const dnnl::engine& engine();
dnnl::stream& stream();

}  // namespace saccade::kernels_detail
