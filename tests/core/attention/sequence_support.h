// What tests of attention over sequences share: noise, the definition of each mask, and the three
// steps scores, softmax and mean in their plainest form.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "core/kernels/attention_mask.h"
#include "core/tensor/tensor.h"
#include "tests/support/tensor_difference.h"

namespace saccade::test {

// A mask, and the same as a predicate.
struct MaskCase {
  const char* name = "";
  AttentionMask mask;
  std::function<bool(Index b, Index t, Index s)> permits;
};

// The largest |a - b|; infinite where shapes differ or a value is not a number.
inline double apart(ConstView a, ConstView b) {
  if (!(a.shape == b.shape) || a.size() == 0) return INFINITY;
  double most = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double d = std::abs(double{a[i]} - double{b[i]});
    if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
  }
  return most;
}

// Sample b of a batch.
inline ConstView sample_of(ConstView x, Index b) {
  const Index size = x.size() / x.shape[0];
  return {x.data + b * size, x.shape.with_first(1)};
}

// Position t of a sequence [1, T, D], as a sequence of one position.
inline ConstView position_of(ConstView x, Index t) {
  return {x.data + t * x.cols(), {1, 1, x.cols()}};
}

struct Naive {
  Tensor out, weights;  // [B, T, H e], [B, H, T, S]
};

inline Naive naive_attention(ConstView q, ConstView k, ConstView v, Index heads,
                             const std::function<bool(Index, Index, Index)>& permits) {
  const Index batch = q.shape[0], queries = q.shape[1], keys = k.shape[1];
  const Index width = q.cols() / heads, value_width = v.cols() / heads;
  Naive y{Tensor({batch, queries, v.cols()}), Tensor({batch, heads, queries, keys})};
  for (Index b = 0; b < batch; ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index t = 0; t < queries; ++t) {
        Real* weights = y.weights.view().row((b * heads + h) * queries + t);
        double sum = 0;
        for (Index s = 0; s < keys; ++s) {
          if (!permits(b, t, s)) continue;
          double score = 0;
          for (Index c = 0; c < width; ++c)
            score += double{q.row(b * queries + t)[h * width + c]} *
                     double{k.row(b * keys + s)[h * width + c]};
          const double e = std::exp(score / std::sqrt(static_cast<double>(width)));
          weights[s] = static_cast<Real>(e);
          sum += e;
        }
        for (Index s = 0; s < keys; ++s) {
          weights[s] = static_cast<Real>(double{weights[s]} / sum);
          for (Index c = 0; c < value_width; ++c)
            y.out.view().row(b * queries + t)[h * value_width + c] +=
                weights[s] * v.row(b * keys + s)[h * value_width + c];
        }
      }
  return y;
}

}  // namespace saccade::test
