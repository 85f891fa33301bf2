#include "core/kernels/batch_norm.h"

#include <Eigen/Core>
#include <cmath>

#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

void reciprocal_deviation(double epsilon, ConstView variance, View rstd) {
  for (Index c = 0; c < rstd.size(); ++c)
    rstd[c] = static_cast<Real>(1 / std::sqrt(double{variance[c]} + epsilon));
}

void batch_norm(Activation f, ConstView x, ConstView gamma, ConstView beta, ConstView mean,
                ConstView rstd, View y) {
  const Array gain = array(gamma) * array(rstd);
  with_activation(f, [&](auto known) {
    const Real *center = mean.data, *slope = gain.data(), *shift = beta.data;
    const Index channels = x.cols();
    for (Index r = 0; r < x.rows(); ++r) {
      const Real* __restrict in = x.row(r);
      Real* __restrict out = y.row(r);
      for (Index c = 0; c < channels; ++c)
        out[c] = activated<known()>((in[c] - center[c]) * slope[c] + shift[c]);
    }
  });
}

void batch_norm_backward(Activation f, ConstView x, ConstView gamma, ConstView y, ConstView mean,
                         ConstView rstd, ConstView dy, const NormGradients& gradients) {
  const Index channels = x.cols();
  const Array gain = array(gamma) * array(rstd);
  Array d(channels), sum = Array::Zero(channels), sum_x = Array::Zero(channels);
  for (Index r = 0; r < x.rows(); ++r) {
    activation_backward(f, {y.row(r), {channels}}, {dy.row(r), {channels}}, {d.data(), {channels}});
    if (gradients.dbeta.data) sum += d;
    if (gradients.dgamma.data) sum_x += d * (array(x.row(r), channels) - array(mean));
    if (!gradients.dx.data) continue;
    auto dx = array(gradients.dx.row(r), channels);
    if (gradients.write == Write::kAssign) {
      dx = gain * d;
    } else {
      dx += gain * d;
    }
  }
  if (gradients.dbeta.data) array(gradients.dbeta) += sum;
  if (gradients.dgamma.data) array(gradients.dgamma) += sum_x * array(rstd);
}

void fold_norm(ConstView gamma, ConstView beta, ConstView mean, ConstView rstd, View gain,
               View bias) {
  array(gain) = array(gamma) * array(rstd);
  array(bias) = array(beta) - array(mean) * array(gain);
}

void fold_norm_backward(ConstView mean, ConstView rstd, ConstView dgain, ConstView dbias,
                        View dgamma, View dbeta) {
  if (dbeta.data) array(dbeta) += array(dbias);
  // In double, because the two parts may nearly cancel.
  for (Index c = 0; dgamma.data && c < dgamma.size(); ++c)
    dgamma[c] += static_cast<Real>((double{dgain[c]} - double{mean[c]} * double{dbias[c]}) *
                                   double{rstd[c]});
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
