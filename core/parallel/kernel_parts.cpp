#include "core/parallel/kernel_parts.h"

#include <algorithm>
#include <utility>

namespace saccade::parallel {

namespace {

thread_local bool splitting = false;
thread_local CountParts* counter = nullptr;

}  // namespace

SplitKernels::SplitKernels() : outer_(std::exchange(splitting, true)) {}
SplitKernels::~SplitKernels() { splitting = outer_; }

bool splits_kernels() { return splitting && !inside_task(); }

CountParts::CountParts() : outer_(std::exchange(counter, this)) {}
CountParts::~CountParts() { counter = outer_; }

// A power of two, so that two, four or eight threads get the same number of parts each.
Index kernel_parts(Index pieces, Index cost) {
  if (!splits_kernels()) return 1;
  const Index most = std::min({pieces, cost / kPartCost, kMostParts});
  Index parts = 1;
  while (2 * parts <= most) parts *= 2;
  return parts;
}

void run_parts(Index count, FunctionRef<void(Index)> body) {
  if (counter && count > 1) {
    ++counter->kernels_;
    counter->parts_ += count;
  }
  for_each_alone(count, body);
}

void split_kernel(const KernelLoop& loop, FunctionRef<void(Index, Index)> body) {
  const Index pieces = (loop.count + loop.unit - 1) / loop.unit;
  const Index parts = kernel_parts(pieces, loop.count * loop.cost);
  if (parts == 1) return body(0, loop.count);
  const Index size = (pieces + parts - 1) / parts * loop.unit;
  run_parts((loop.count + size - 1) / size,
            [&](Index i) { body(i * size, std::min(loop.count, (i + 1) * size)); });
}

}  // namespace saccade::parallel
