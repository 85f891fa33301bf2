#include "core/ops/biased_attention.h"

#include <Eigen/Core>
#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using Rows = Eigen::Map<Matrix, Eigen::Unaligned, Stride>;
using ConstRows = Eigen::Map<const Matrix, Eigen::Unaligned, Stride>;

constexpr Real kOtherPart = -100;  // as in all published networks

// The part of one head in the rows of one window.
struct Windows {
  Index count, places, heads, width;  // N, T, H, d
  Index at(Index window, Index head) const { return (window * places * heads + head) * width; }
  ConstRows of(ConstView all, Index window, Index head) const {
    return {all.data + at(window, head), places, width, Stride(heads * width)};
  }
  Rows of(View all, Index window, Index head) const {
    return {all.data + at(window, head), places, width, Stride(heads * width)};
  }
};

}  // namespace

Var biased_attention(Var q, Var k, Var v, Var bias, std::span<const int> parts) {
  const Shape shape = q.shape();
  SACCADE_CHECK(shape.rank() == 3 && k.shape() == shape && v.shape() == shape &&
                    bias.shape().rank() == 2 && bias.shape()[0] == shape[1] * shape[1] &&
                    bias.shape()[1] > 0 && shape[2] % bias.shape()[1] == 0,
                "[biased_attention] shapes do not fit: ", shape, ", ", k.shape(), ", ", v.shape(),
                " and ", bias.shape());
  const Windows windows{shape[0], shape[1], bias.shape()[1], shape[2] / bias.shape()[1]};
  const auto cells = static_cast<Index>(parts.size());
  SACCADE_CHECK(parts.empty() ||
                    (cells % windows.places == 0 && windows.count % (cells / windows.places) == 0),
                "[biased_attention] ", cells, " parts do not fit to ", shape);
  Tape& tape = q.tape();
  const Var y = tape.output(shape, {q, k, v, bias});
  const std::span<const int> kept = tape.keep(parts);
  const Index places = windows.places, heads = windows.heads;
  const Real scale = 1 / std::sqrt(static_cast<Real>(windows.width));
  // The weights of one window and head.
  const auto weigh = [=](Index window, Index head, Matrix& weights) {
    weights.noalias() = windows.of(q.value(), window, head) *
                        windows.of(k.value(), window, head).transpose() * scale;
    const Index first =
        kept.empty() ? 0 : window % (static_cast<Index>(kept.size()) / places) * places;
    for (Index t = 0; t < places; ++t) {
      for (Index s = 0; s < places; ++s) {
        weights(t, s) += bias.value()[(t * places + s) * heads + head];
        if (!kept.empty() &&
            kept[static_cast<std::size_t>(first + t)] != kept[static_cast<std::size_t>(first + s)])
          weights(t, s) += kOtherPart;
      }
      weights.row(t) = (weights.row(t).array() - weights.row(t).maxCoeff()).exp();
      weights.row(t) /= weights.row(t).sum();
    }
  };
  const View out = tape.mutable_value(y);
  Matrix weights(places, places);
  for (Index window = 0; window < windows.count; ++window)
    for (Index head = 0; head < heads; ++head) {
      weigh(window, head, weights);
      windows.of(out, window, head).noalias() = weights * windows.of(v.value(), window, head);
    }
  tape.record(y, [=, t = &tape] {
    Matrix again(places, places), scores(places, places);
    for (Index window = 0; window < windows.count; ++window)
      for (Index head = 0; head < heads; ++head) {
        weigh(window, head, again);
        const ConstRows dout = windows.of(ConstView(t->grad(y)), window, head);
        if (v.requires_grad())
          windows.of(t->grad(v), window, head).noalias() += again.transpose() * dout;
        scores.noalias() = dout * windows.of(v.value(), window, head).transpose();
        for (Index row = 0; row < places; ++row) {
          const Real mean = scores.row(row).dot(again.row(row));
          scores.row(row) = again.row(row).array() * (scores.row(row).array() - mean);
        }
        if (bias.requires_grad()) {
          const View dbias = t->grad(bias);
          for (Index i = 0; i < places * places; ++i) dbias[i * heads + head] += scores.data()[i];
        }
        if (q.requires_grad())
          windows.of(t->grad(q), window, head).noalias() +=
              scores * windows.of(k.value(), window, head) * scale;
        if (k.requires_grad())
          windows.of(t->grad(k), window, head).noalias() +=
              scores.transpose() * windows.of(q.value(), window, head) * scale;
      }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
