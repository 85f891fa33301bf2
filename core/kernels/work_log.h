// Counts what kernels are asked to do, so that a benchmark can compare a piece of work with the
// machine's own speed at the same sizes.
#pragma once

#include <map>
#include <mutex>

#include "core/kernels/conv.h"
#include "core/kernels/gemm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct ProductSize {
  Index m = 0, n = 0, k = 0;
  Trans trans_a = Trans::kNo, trans_b = Trans::kNo;
  Precision precision = Precision::kF32;
  auto operator<=>(const ProductSize&) const = default;
};

enum class ConvPass { kForward, kData, kWeights };
struct ConvSize {
  ConvPass pass = ConvPass::kForward;
  ConvShape shape;
  auto operator<=>(const ConvSize&) const = default;
};

// While it lives, it counts the calls of all threads. There is one at a time.
class WorkLog {
 public:
  WorkLog();
  ~WorkLog();
  WorkLog(const WorkLog&) = delete;
  WorkLog& operator=(const WorkLog&) = delete;

  static WorkLog* current();  // null: nothing is counted

  // While it lives, nothing that the calling thread does is counted: it is a part of what was.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };

  void product(const Gemm& g);
  void convolution(ConvPass pass, const ConvShape& shape);
  void exponentials(Index count);

  // How often each size was asked for, and how many hyperbolic tangents and exponentials.
  std::map<ProductSize, Index> products;
  std::map<ConvSize, Index> convolutions;
  Index all_exponentials = 0;

 private:
  std::mutex mutex_;
};

inline void count_exponentials(Index count) {
  if (WorkLog* log = WorkLog::current()) log->exponentials(count);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
