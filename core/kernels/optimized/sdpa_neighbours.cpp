#include "core/kernels/internal/sdpa_neighbours.h"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

// One query of one head, and the keys on its list that its sample may see.
struct Row {
  Index b, h, t;
  const std::vector<Index>& keys;
};

template <class Body>
void for_each_row(const SdpaInputs& in, Body body) {
  const AttentionExtents e = in.extents();
  std::vector<Index> keys;
  for (Index b = 0; b < e.batch; ++b) {
    for (Index t = 0; t < e.queries; ++t) {
      seen_neighbours(in.mask, e, b, t, keys);
      for (Index h = 0; h < in.heads; ++h) body(Row{b, h, t, keys});
    }
  }
}

void score(const SdpaInputs& in, const Row& row, Array& scores) {
  const auto q = head_array(in.q, in.heads, row.b, row.t, row.h);
  const Real scale = 1 / std::sqrt(static_cast<Real>(in.width()));
  scores.resize(static_cast<Index>(row.keys.size()));
  for (std::size_t i = 0; i < row.keys.size(); ++i)
    scores[static_cast<Index>(i)] =
        scale * (q * head_array(in.k, in.heads, row.b, row.keys[i], row.h)).sum();
}

}  // namespace

void sdpa_neighbours(const SdpaInputs& in, View out, View lse) {
  Array weights;
  for_each_row(in, [&](const Row& row) {
    score(in, row, weights);
    const Real most = weights.maxCoeff();
    weights = (weights - most).exp();
    const Real sum = weights.sum();
    lse[(row.b * in.heads + row.h) * in.extents().queries + row.t] = most + std::log(sum);
    auto mean = head_array(out, in.heads, row.b, row.t, row.h);
    mean.setZero();
    for (std::size_t i = 0; i < row.keys.size(); ++i)
      mean += (weights[static_cast<Index>(i)] / sum) *
              head_array(in.v, in.heads, row.b, row.keys[i], row.h);
  });
}

void sdpa_neighbours_backward(const SdpaInputs& in, ConstView out, ConstView lse, ConstView dout,
                              const SdpaGradients& gradients) {
  Array weights;
  const Real scale = 1 / std::sqrt(static_cast<Real>(in.width()));
  for_each_row(in, [&](const Row& row) {
    const auto [b, h, t, keys] = row;
    const auto d = head_array(dout, in.heads, b, t, h);
    const Real mean = (d * head_array(out, in.heads, b, t, h)).sum();
    score(in, row, weights);
    weights = (weights - lse[(b * in.heads + h) * in.extents().queries + t]).exp();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Index s = keys[i];
      const Real p = weights[static_cast<Index>(i)];
      const Real ds = scale * p * ((d * head_array(in.v, in.heads, b, s, h)).sum() - mean);
      if (gradients.dq.data)
        head_array(gradients.dq, in.heads, b, t, h) += ds * head_array(in.k, in.heads, b, s, h);
      if (gradients.dk.data)
        head_array(gradients.dk, in.heads, b, s, h) += ds * head_array(in.q, in.heads, b, t, h);
      if (gradients.dv.data) head_array(gradients.dv, in.heads, b, s, h) += p * d;
    }
  });
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
