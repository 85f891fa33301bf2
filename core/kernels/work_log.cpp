#include "core/kernels/work_log.h"

#include <atomic>

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

std::atomic<WorkLog*>& current_log() {
  static std::atomic<WorkLog*> log{nullptr};
  return log;
}

thread_local int pauses = 0;  // of this thread

}  // namespace

WorkLog::WorkLog() { current_log() = this; }
WorkLog::~WorkLog() { current_log() = nullptr; }
WorkLog* WorkLog::current() {
  WorkLog* log = current_log().load(std::memory_order_relaxed);
  return log && pauses == 0 ? log : nullptr;
}

WorkLog::Pause::Pause() { ++pauses; }
WorkLog::Pause::~Pause() { --pauses; }

void WorkLog::product(const Gemm& g) {
  const std::lock_guard lock(mutex_);
  ++products[{g.m, g.n, g.k, g.trans_a, g.trans_b, g.precision}];
}

void WorkLog::convolution(ConvPass pass, const ConvShape& shape) {
  const std::lock_guard lock(mutex_);
  ++convolutions[{pass, shape}];
}

void WorkLog::exponentials(Index count) {
  const std::lock_guard lock(mutex_);
  all_exponentials += count;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
