#include "core/kernels/biased_attention.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

using BiasedMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using HeadStride = Eigen::OuterStride<>;
using HeadRows = Eigen::Map<BiasedMatrix, Eigen::Unaligned, HeadStride>;
using ConstHeadRows = Eigen::Map<const BiasedMatrix, Eigen::Unaligned, HeadStride>;

constexpr Real kOtherPart = -100;  // as in all published networks

// The exponential of anything less is no normal number.
const Real kVanishing = std::log(std::numeric_limits<Real>::min());

// The rows of one head in one window.
Index start_of(const BiasedWindows& shape, Index window, Index head) {
  return (window * shape.places * shape.heads + head) * shape.width;
}
ConstHeadRows rows_of(const BiasedWindows& shape, ConstView all, Index window, Index head) {
  return {all.data + start_of(shape, window, head), shape.places, shape.width,
          HeadStride(shape.heads * shape.width)};
}
HeadRows rows_of(const BiasedWindows& shape, View all, Index window, Index head) {
  return {all.data + start_of(shape, window, head), shape.places, shape.width,
          HeadStride(shape.heads * shape.width)};
}

Real scale_of(const BiasedWindows& shape) { return 1 / std::sqrt(static_cast<Real>(shape.width)); }

// The weights of one window and head.
void weigh(const BiasedWindows& shape, const BiasedInputs& in, Index window, Index head,
           BiasedMatrix& weights) {
  weights.noalias() = rows_of(shape, in.q, window, head) *
                      rows_of(shape, in.k, window, head).transpose() * scale_of(shape);
  const Index places = shape.places, cells = static_cast<Index>(shape.parts.size());
  const int* const parts =
      cells == 0 ? nullptr : shape.parts.data() + window % (cells / places) * places;
  const Index first = in.first_pair(shape, window);
  for (Index t = 0; t < places; ++t) {
    for (Index s = 0; s < places; ++s) {
      weights(t, s) += in.bias[(first + t * places + s) * shape.heads + head];
      if (parts && parts[t] != parts[s]) weights(t, s) += kOtherPart;
    }
    weights.row(t).array() -= weights.row(t).maxCoeff();
    // Eigen's exp of a masked score is the smallest number instead of 0. (NaN is not below.)
    const auto below = weights.row(t).array();
    weights.row(t) = (below < kVanishing).select(Real{0}, below.exp());
    weights.row(t) /= weights.row(t).sum();
  }
}

}  // namespace

void biased_attention(const BiasedWindows& windows, const BiasedInputs& in, View out) {
  BiasedMatrix weights(windows.places, windows.places);
  for (Index window = 0; window < windows.count; ++window)
    for (Index head = 0; head < windows.heads; ++head) {
      weigh(windows, in, window, head, weights);
      rows_of(windows, out, window, head).noalias() =
          weights * rows_of(windows, in.v, window, head);
    }
}

void biased_attention_weights(const BiasedWindows& windows, const BiasedInputs& in, View out) {
  const Index places = windows.places;
  BiasedMatrix weights(places, places);
  for (Index window = 0; window < windows.count; ++window)
    for (Index head = 0; head < windows.heads; ++head) {
      weigh(windows, in, window, head, weights);
      std::copy_n(weights.data(), weights.size(),
                  out.data + (window * windows.heads + head) * places * places);
    }
}

void biased_attention_backward(const BiasedWindows& windows, const BiasedInputs& in, ConstView dout,
                               const BiasedGradients& gradients) {
  const Index places = windows.places;
  const Real scale = scale_of(windows);
  BiasedMatrix weights(places, places), scores(places, places);
  for (Index window = 0; window < windows.count; ++window)
    for (Index head = 0; head < windows.heads; ++head) {
      weigh(windows, in, window, head, weights);
      const ConstHeadRows dy = rows_of(windows, dout, window, head);
      if (gradients.dv.data)
        rows_of(windows, gradients.dv, window, head).noalias() += weights.transpose() * dy;
      scores.noalias() = dy * rows_of(windows, in.v, window, head).transpose();
      for (Index t = 0; t < places; ++t) {
        const Real mean = scores.row(t).dot(weights.row(t));
        scores.row(t) = weights.row(t).array() * (scores.row(t).array() - mean);
      }
      if (gradients.dbias.data)
        for (Index i = 0; i < places * places; ++i)
          gradients.dbias[(in.first_pair(windows, window) + i) * windows.heads + head] +=
              scores.data()[i];
      if (gradients.dq.data)
        rows_of(windows, gradients.dq, window, head).noalias() +=
            scores * rows_of(windows, in.k, window, head) * scale;
      if (gradients.dk.data)
        rows_of(windows, gradients.dk, window, head).noalias() +=
            scores.transpose() * rows_of(windows, in.q, window, head) * scale;
    }
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
