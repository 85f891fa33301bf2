#include "core/ops/differential.h"

#include <cmath>

#include "core/kernels/norm.h"
#include "core/kernels/pointwise.h"
#include "core/ops/write_to.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

Real dot(ConstView a, ConstView b) {
  Real sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Real differential_lambda(const LambdaVectors& v, double initial) {
  return std::exp(dot(v.query_1.value(), v.key_1.value())) -
         std::exp(dot(v.query_2.value(), v.key_2.value())) + static_cast<Real>(initial);
}

Var differential(Var first, Var second, const LambdaVectors& vectors, double initial) {
  const LambdaVectors v = vectors;
  SACCADE_CHECK(first.shape() == second.shape(), "[differential] shapes must be equal; got ",
                first.shape(), " and ", second.shape());
  SACCADE_CHECK(v.query_1.shape() == v.key_1.shape() && v.query_2.shape() == v.key_2.shape(),
                "[differential] the vectors of a product must be equally long; got ",
                v.query_1.shape(), " and ", v.key_1.shape(), ", ", v.query_2.shape(), " and ",
                v.key_2.shape());
  Tape& tape = first.tape();
  const Var y = tape.output(first.shape(), {first, second, v.query_1, v.key_1, v.query_2, v.key_2});
  const Real lambda = differential_lambda(v, initial);
  const View out = tape.mutable_value(y);
  for (Index i = 0; i < out.size(); ++i) out[i] = first.value()[i] - lambda * second.value()[i];
  tape.record(y, [first, second, v, lambda, y, t = &tape] {
    const ConstView dy = t->grad(y);
    if (first.requires_grad()) kernels::accumulate(dy, t->grad(first));
    if (second.requires_grad()) kernels::accumulate(dy, t->grad(second), -lambda);
    const Real dlambda = -dot(dy, second.value());
    const auto back = [&](Var a, Var b, Real sign) {
      const Real factor = sign * dlambda * std::exp(dot(a.value(), b.value()));
      if (a.requires_grad()) kernels::accumulate(b.value(), t->grad(a), factor);
      if (b.requires_grad()) kernels::accumulate(a.value(), t->grad(b), factor);
    };
    back(v.query_1, v.key_1, 1);
    back(v.query_2, v.key_2, -1);
  });
  return y;
}

Var rms_norm(Var x, Var gamma, double epsilon) {
  SACCADE_CHECK(x.shape().rank() >= 1 && x.shape().size() > 0 && gamma.shape() == Shape{x.cols()},
                "[rms_norm] needs x [..., D] and gamma [D]; got ", x.shape(), " and ",
                gamma.shape());
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x, gamma});
  const View scale{tape.scratch(x.rows()), {x.rows()}};
  kernels::rms_norm(epsilon, x.value(), gamma.value(), tape.mutable_value(y), scale);
  tape.record(y, [x, gamma, y, scale, t = &tape] {
    kernels::NormGradients gradients;
    if (x.requires_grad()) {
      const auto dx = t->grad_target(x);
      gradients.dx = dx.view;
      gradients.write = write_to(dx);
    }
    if (gamma.requires_grad()) gradients.dgamma = t->grad(gamma);
    kernels::rms_norm_backward(x.value(), gamma.value(), scale, t->grad(y), gradients);
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
