#include "core/attention/sequence/rollout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/gemm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

void discard_smallest(std::span<Real> row, Index count) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  for (Index i = 0; i < count; ++i) row[order[order.size() - 1 - static_cast<std::size_t>(i)]] = 0;
}

}  // namespace

Rollout::Rollout(Index positions, double discard) : discard_(discard) {
  SACCADE_CHECK(positions > 0 && discard >= 0 && discard < 1,
                "[rollout] needs positions, and a share to discard in [0, 1); got ", positions,
                " and ", discard);
  shares_ = Tensor({positions, positions});
  for (Index t = 0; t < positions; ++t) shares_[t * positions + t] = 1;
}

void Rollout::add(ConstView weights) {
  SACCADE_CHECK(weights.shape == shares_.shape(), "[rollout] weights ", weights.shape, " among ",
                shares_.shape()[0], " positions");
  Tensor mixed(weights.shape, weights.span());
  const Index positions = mixed.shape()[0];
  const auto dropped = static_cast<Index>(discard_ * static_cast<double>(positions));
  for (Index t = 0; t < positions; ++t) {
    const std::span<Real> row{mixed.view().row(t), static_cast<std::size_t>(positions)};
    for (const Real w : row)
      SACCADE_CHECK(w >= 0 && std::isfinite(w), "[rollout] a weight of row ", t, " is ", w,
                    "; it must be finite and at least 0");
    if (dropped > 0) discard_smallest(row, dropped);
    row[static_cast<std::size_t>(t)] += 1;
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (Real& w : row) w = static_cast<Real>(static_cast<double>(w) / sum);
  }
  Tensor next(shares_.shape());
  kernels::matmul(mixed.view(), shares_.view(), next.view(), 0);
  shares_ = std::move(next);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
