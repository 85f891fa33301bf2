#include "core/kernels/sdpa.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/reference/heads.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {

template <class Body>
void for_each_row(const SdpaInputs& in, Body body) {
  const AttentionExtents e = in.extents();
  for (Index b = 0; b < e.batch; ++b)
    for (Index h = 0; h < in.heads; ++h)
      for (Index t = 0; t < e.queries; ++t) body(b, h, t);
}

double dot(const Real* x, const Real* y, Index width) {
  double sum = 0;
  for (Index c = 0; c < width; ++c) sum += double{x[c]} * double{y[c]};
  return sum;
}

double scale_of(const SdpaInputs& in) { return 1 / std::sqrt(static_cast<double>(in.width())); }

double score(const SdpaInputs& in, Index b, Index h, Index t, Index s) {
  return scale_of(in) *
         dot(head(in.q, in.heads, b, t, h), head(in.k, in.heads, b, s, h), in.width());
}

double log_sum(const SdpaInputs& in, Index b, Index h, Index t) {
  const AttentionExtents e = in.extents();
  double most = -INFINITY, sum = 0;
  for (Index s = 0; s < e.keys; ++s)
    if (permits(in.mask, e, b, t, s)) most = std::max(most, score(in, b, h, t, s));
  for (Index s = 0; s < e.keys; ++s)
    if (permits(in.mask, e, b, t, s)) sum += std::exp(score(in, b, h, t, s) - most);
  return most + std::log(sum);
}

}  // namespace

void sdpa_weights(const SdpaInputs& in, View weights) {
  const AttentionExtents e = in.extents();
  for_each_row(in, [&](Index b, Index h, Index t) {
    const double sum = log_sum(in, b, h, t);
    for (Index s = 0; s < e.keys; ++s)
      weights.row((b * in.heads + h) * e.queries + t)[s] =
          permits(in.mask, e, b, t, s) ? static_cast<Real>(std::exp(score(in, b, h, t, s) - sum))
                                       : Real{0};
  });
}

void sdpa(const SdpaInputs& in, View out, View lse) {
  const AttentionExtents e = in.extents();
  for_each_row(in, [&](Index b, Index h, Index t) {
    const double sum = log_sum(in, b, h, t);
    lse[(b * in.heads + h) * e.queries + t] = static_cast<Real>(sum);
    for (Index c = 0; c < in.value_width(); ++c) {
      double mean = 0;
      for (Index s = 0; s < e.keys; ++s)
        if (permits(in.mask, e, b, t, s))
          mean += std::exp(score(in, b, h, t, s) - sum) * double{head(in.v, in.heads, b, s, h)[c]};
      head(out, in.heads, b, t, h)[c] = static_cast<Real>(mean);
    }
  });
}

void sdpa_backward(const SdpaInputs& in, ConstView out, ConstView lse, ConstView dout,
                   const SdpaGradients& gradients) {
  const AttentionExtents e = in.extents();
  for_each_row(in, [&](Index b, Index h, Index t) {
    const Real* d = head(dout, in.heads, b, t, h);
    const double mean = dot(d, head(out, in.heads, b, t, h), in.value_width());
    for (Index s = 0; s < e.keys; ++s) {
      if (!permits(in.mask, e, b, t, s)) continue;
      const double p =
          std::exp(score(in, b, h, t, s) - double{lse[(b * in.heads + h) * e.queries + t]});
      const double ds =
          p * (dot(d, head(in.v, in.heads, b, s, h), in.value_width()) - mean) * scale_of(in);
      for (Index c = 0; c < in.width(); ++c) {
        if (gradients.dq.data)
          head(gradients.dq, in.heads, b, t, h)[c] +=
              static_cast<Real>(ds * double{head(in.k, in.heads, b, s, h)[c]});
        if (gradients.dk.data)
          head(gradients.dk, in.heads, b, s, h)[c] +=
              static_cast<Real>(ds * double{head(in.q, in.heads, b, t, h)[c]});
      }
      if (!gradients.dv.data) continue;
      for (Index c = 0; c < in.value_width(); ++c)
        head(gradients.dv, in.heads, b, s, h)[c] += static_cast<Real>(p * double{d[c]});
    }
  });
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
