// Who runs the parallel loops of OpenCV. Internal to the .cpp files of vision.
#pragma once

namespace saccade {

// From now on, OpenCV's loops run on the thread that calls them or, while a SplitOpencvLoops lives
// there, on our pool. It is a setting of the whole process. quiet_opencv() calls it once.
void take_opencv_loops();

// While it lives, OpenCV's loops on this thread are cut as our kernels are (kernel_parts.h), where
// kernels are cut now. OpenCV's networks cut their layers by the number of threads that they are
// told; they are told a number that does not change, so the bits do not depend on the threads.
class SplitOpencvLoops {
 public:
  SplitOpencvLoops();
  ~SplitOpencvLoops();
  SplitOpencvLoops(const SplitOpencvLoops&) = delete;
  SplitOpencvLoops& operator=(const SplitOpencvLoops&) = delete;

 private:
  bool outer_;
};

}  // namespace saccade
