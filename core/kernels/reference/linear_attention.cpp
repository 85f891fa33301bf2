#include "core/kernels/linear_attention.h"

#include <cmath>

#include "core/kernels/reference/heads.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {

double phi(Real x) { return x > 0 ? double{x} + 1 : std::exp(double{x}); }
double linear_slope(Real x) { return x > 0 ? 1 : std::exp(double{x}); }

template <class Body>  // body(b, h, t, s, <phi(q), phi(k)>)
void for_each_pair(const SdpaInputs& in, Body body) {
  const AttentionExtents e = in.extents();
  for (Index b = 0; b < e.batch; ++b)
    for (Index h = 0; h < in.heads; ++h)
      for (Index t = 0; t < e.queries; ++t)
        for (Index s = 0; s < e.keys; ++s) {
          if (!permits(in.mask, e, b, t, s)) continue;
          double sum = 0;
          for (Index c = 0; c < in.width(); ++c)
            sum += phi(head(in.q, in.heads, b, t, h)[c]) * phi(head(in.k, in.heads, b, s, h)[c]);
          body(b, h, t, s, sum);
        }
}

}  // namespace

void linear_attention(const SdpaInputs& in, View out, View z) {
  const auto sum = [&](Index b, Index h, Index t) -> Real& {
    return z[(b * in.heads + h) * in.extents().queries + t];
  };
  for (Real& x : z.span()) x = 0;
  for (Real& x : out.span()) x = 0;
  for_each_pair(in, [&](Index b, Index h, Index t, Index, double a) {
    sum(b, h, t) += static_cast<Real>(a);
  });
  for_each_pair(in, [&](Index b, Index h, Index t, Index s, double a) {
    for (Index c = 0; c < in.value_width(); ++c)
      head(out, in.heads, b, t, h)[c] +=
          static_cast<Real>(a / double{sum(b, h, t)} * double{head(in.v, in.heads, b, s, h)[c]});
  });
}

void linear_attention_backward(const SdpaInputs& in, ConstView out, ConstView z, ConstView dout,
                               const SdpaGradients& gradients) {
  for_each_pair(in, [&](Index b, Index h, Index t, Index s, double a) {
    const double sum = double{z[(b * in.heads + h) * in.extents().queries + t]};
    const Real *q = head(in.q, in.heads, b, t, h), *k = head(in.k, in.heads, b, s, h),
               *v = head(in.v, in.heads, b, s, h), *y = head(out, in.heads, b, t, h),
               *d = head(dout, in.heads, b, t, h);
    double da = 0;
    for (Index c = 0; c < in.value_width(); ++c) {
      da += double{d[c]} * (double{v[c]} - double{y[c]}) / sum;
      if (gradients.dv.data)
        head(gradients.dv, in.heads, b, s, h)[c] += static_cast<Real>(a / sum * double{d[c]});
    }
    for (Index c = 0; c < in.width(); ++c) {
      if (gradients.dq.data)
        head(gradients.dq, in.heads, b, t, h)[c] +=
            static_cast<Real>(da * phi(k[c]) * linear_slope(q[c]));
      if (gradients.dk.data)
        head(gradients.dk, in.heads, b, s, h)[c] +=
            static_cast<Real>(da * phi(q[c]) * linear_slope(k[c]));
    }
  });
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
