#include "vision/images/opencv_loops.h"

#include <algorithm>
#include <memory>
#include <opencv2/core/parallel/parallel_backend.hpp>
#include <utility>

#include "core/parallel/kernel_parts.h"

namespace saccade {

namespace {

thread_local bool splitting = false;
thread_local int part_of_thread = 0;  // that the thread is running

class OwnLoops : public cv::parallel::ParallelForAPI {
 public:
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    if (getNumThreads() == 1) return body(0, tasks, data);
    const int each = (tasks + getNumThreads() - 1) / getNumThreads();
    parallel::run_parts((tasks + each - 1) / each, [&](Index part) {
      const int first = static_cast<int>(part) * each;
      const int outer = std::exchange(part_of_thread, static_cast<int>(part));
      body(first, std::min(tasks, first + each), data);
      part_of_thread = outer;
    });
  }
  int getThreadNum() const override { return part_of_thread; }
  int getNumThreads() const override {
    return splitting && parallel::splits_kernels() ? static_cast<int>(parallel::kMostParts) : 1;
  }
  int setNumThreads(int) override { return getNumThreads(); }
  const char* getName() const override { return "saccade"; }
};

}  // namespace

// OpenCV's own number of threads is left alone, because setting it would start threads of its own.
void take_opencv_loops() {
  cv::parallel::setParallelForBackend(std::make_shared<OwnLoops>(), false);
}

SplitOpencvLoops::SplitOpencvLoops() : outer_(std::exchange(splitting, true)) {}
SplitOpencvLoops::~SplitOpencvLoops() { splitting = outer_; }

}  // namespace saccade
