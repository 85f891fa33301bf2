// Cuts single kernels into parts that run at the same time. A batch is cut into shards whose
// kernels are serial; one photo has no shards, so its large kernels are cut instead. Where they are
// cut depends on sizes alone, so any number of threads gives the same bits.
#pragma once

#include "core/parallel/parallel.h"

namespace saccade::parallel {

// While it lives, large kernels that the calling thread runs outside of tasks are cut into parts.
// Kernels inside tasks stay whole, so that batches that already run in parallel stay as they are. A
// kernel that is cut may differ from the same kernel as a whole in the last digits, because
// libraries choose how they add up by the size of what they are given. Training does not use it.
class SplitKernels {
 public:
  SplitKernels();
  ~SplitKernels();
  SplitKernels(const SplitKernels&) = delete;
  SplitKernels& operator=(const SplitKernels&) = delete;

 private:
  bool outer_;
};

// Whether a kernel that is called now may be cut.
bool splits_kernels();

// Costs are in multiply-adds of a matrix product whose operands are in the cache. A part costs at
// least so much, a few times what it costs to hand it to another thread: 2^21 take 20 to 80
// microseconds. The largest kernels have 8 parts.
constexpr Index kPartCost = Index{1} << 21, kMostParts = 8;

// Into how many parts a kernel of so many pieces and of this cost is cut: a power of two. 1: it
// stays whole, always where kernels are not cut.
Index kernel_parts(Index pieces, Index cost);

// What a kernel loops over: [0, count), where parts begin at multiples of `unit`. `cost` is that of
// one index.
struct KernelLoop {
  Index count = 0;
  Index unit = 1;
  Index cost = 1;
};
// Calls body(begin, end) for the whole loop or, where kernels are cut, for its parts at the same
// time. Meanwhile the calling thread takes up no other tasks (for_each_alone).
void split_kernel(const KernelLoop& loop, FunctionRef<void(Index, Index)> body);
// Calls body(i) for the parts of a kernel that its caller has cut.
void run_parts(Index count, FunctionRef<void(Index)> body);

// What elementwise kernels cost per number: one that reads and writes, and one that computes an
// exponential or its like.
constexpr Index kPlainCost = 32, kExponentialCost = 64;
// Elementwise loops are cut at multiples of this, so that vectors of numbers stay together.
constexpr Index kNumbersTogether = 64;

// Counts the parts of the kernels that were cut on the calling thread while it lives, for tests.
class CountParts {
 public:
  CountParts();
  ~CountParts();
  CountParts(const CountParts&) = delete;
  CountParts& operator=(const CountParts&) = delete;
  Index kernels() const { return kernels_; }
  Index parts() const { return parts_; }

 private:
  friend void run_parts(Index, FunctionRef<void(Index)>);
  Index kernels_ = 0, parts_ = 0;
  CountParts* outer_;
};

}  // namespace saccade::parallel
