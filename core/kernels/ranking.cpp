#include "core/kernels/ranking.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

void log_sum_exp(ConstView x, View lse) {
  for (Index r = 0; r < x.rows(); ++r) {
    const auto row = array(x.row(r), x.cols());
    const Real largest = row.maxCoeff<Eigen::PropagateNaN>();
    lse[r] = largest + std::log((row - largest).exp().sum());
  }
}

// A heap holds the best numbers so far, with the worst of them on top. Most blocks of a long row
// hold nothing better than that one, as a vectorised maximum shows.
void top(std::span<const Real> row, Index count, std::vector<Ranked>& best) {
  constexpr std::size_t kBlock = 64;
  const auto better = [](const Ranked& a, const Ranked& b) {
    return a.value != b.value ? a.value > b.value : a.place < b.place;
  };
  best.clear();
  if (count <= 0) return;
  const auto wanted = static_cast<std::size_t>(count);
  Real threshold = -std::numeric_limits<Real>::infinity();
  for (std::size_t begin = 0; begin < row.size(); begin += kBlock) {
    const std::size_t end = std::min(row.size(), begin + kBlock);
    const auto block = array(row.data() + begin, static_cast<Index>(end - begin));
    if (!(block.maxCoeff() > threshold)) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (!(row[i] > threshold)) continue;
      if (best.size() == wanted) {
        std::pop_heap(best.begin(), best.end(), better);
        best.pop_back();
      }
      best.push_back({static_cast<int>(i), row[i]});
      std::push_heap(best.begin(), best.end(), better);
      if (best.size() == wanted) threshold = best.front().value;
    }
  }
  std::sort_heap(best.begin(), best.end(), better);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
