#include "core/kernels/optimizer_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

Real clipped(Real g, Real scale, Real limit) {
  g *= scale;
  g = g > -limit ? g : -limit;
  return g < limit ? g : limit;
}

}  // namespace

void sgd_update(const SgdUpdate& u, const ClippedGradient& g, Index count, Real* __restrict w) {
  const Real* __restrict grad = g.data;
  const auto [lr, decay] = u;
  const Real scale = g.scale, limit = g.limit;
  for (Index i = 0; i < count; ++i) w[i] -= lr * (clipped(grad[i], scale, limit) + decay * w[i]);
}

void momentum_update(const MomentumUpdate& u, const ClippedGradient& g, Index count,
                     Real* __restrict w, Real* __restrict velocity) {
  const Real* __restrict grad = g.data;
  const auto [lr, decay, momentum] = u;
  const Real scale = g.scale, limit = g.limit;
  for (Index i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + (clipped(grad[i], scale, limit) + decay * w[i]);
    w[i] -= lr * velocity[i];
  }
}

void rmsprop_update(const RmsPropUpdate& u, const ClippedGradient& g, Index count,
                    Real* __restrict w, Real* __restrict square) {
  const Real* __restrict grad = g.data;
  const auto [lr, decay, rho, epsilon] = u;
  const Real scale = g.scale, limit = g.limit, fresh = 1 - rho;
  for (Index i = 0; i < count; ++i) {
    const Real h = clipped(grad[i], scale, limit) + decay * w[i];
    square[i] = rho * square[i] + fresh * h * h;
    w[i] -= lr * h / (std::sqrt(square[i]) + epsilon);
  }
}

void adam_update(const AdamUpdate& u, const ClippedGradient& g, Index count, Real* __restrict w,
                 Real* __restrict m, Real* __restrict v) {
  const Real* __restrict grad = g.data;
  const auto [step, root, decay, keep, beta1, beta2, epsilon] = u;
  const Real scale = g.scale, limit = g.limit, fresh1 = 1 - beta1, fresh2 = 1 - beta2;
  for (Index i = 0; i < count; ++i) {
    const Real h = clipped(grad[i], scale, limit) + decay * w[i];
    m[i] = beta1 * m[i] + fresh1 * h;
    v[i] = beta2 * v[i] + fresh2 * h * h;
    w[i] = keep * w[i] - step * m[i] / (std::sqrt(v[i]) * root + epsilon);
  }
}

double sum_of_squares(const Real* data, Index count) {
  // Lanes vectorise and fix the order of the sum. Blocks keep float sums short.
  constexpr Index kLanes = 64, kBlock = 4096;
  double total = 0;
  for (Index begin = 0; begin < count; begin += kBlock) {
    const Index end = std::min(count, begin + kBlock);
    std::array<Real, kLanes> lanes{};
    Index i = begin;
    for (; i + kLanes <= end; i += kLanes)
      for (Index j = 0; j < kLanes; ++j)
        lanes[static_cast<std::size_t>(j)] += data[i + j] * data[i + j];
    for (; i < end; ++i) lanes[0] += data[i] * data[i];
    for (const Real lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
