#include "core/ops/norm_ops.h"

#include "core/kernels/batch_norm.h"
#include "core/ops/write_to.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

void check_affine(const char* op, Var x, Var gamma, Var beta) {
  SACCADE_CHECK(gamma.shape() == Shape{x.cols()} && beta.shape() == Shape{x.cols()}, "[", op,
                "] gamma and beta must have one number per channel; got ", gamma.shape(), " and ",
                beta.shape(), " for ", x.shape());
}

// The memory for the gradients of (x, gamma, beta); those that are not required stay without data.
kernels::NormGradients gradients_of(Tape& tape, Var x, Var gamma, Var beta) {
  kernels::NormGradients gradients;
  if (x.requires_grad()) {
    const auto dx = tape.grad_target(x);
    gradients.dx = dx.view;
    gradients.write = write_to(dx);
  }
  if (gamma.requires_grad()) gradients.dgamma = tape.grad(gamma);
  if (beta.requires_grad()) gradients.dbeta = tape.grad(beta);
  return gradients;
}

}  // namespace

Var group_norm(Var x, Var gamma, Var beta, const GroupNormOptions& options) {
  const Shape& in = x.shape();
  SACCADE_CHECK(in.rank() >= 2 && in.size() > 0, "[group_norm] needs [B, ..., C]; got ", in);
  SACCADE_CHECK(options.groups > 0 && in[-1] % options.groups == 0, "[group_norm] ", options.groups,
                " groups do not divide the channels of ", in);
  check_affine("group_norm", x, gamma, beta);
  const GroupNormShape shape{.batch = in[0],
                             .positions = in.size() / (in[0] * in[-1]),
                             .channels = in[-1],
                             .groups = options.groups};
  Tape& tape = x.tape();
  const Var y = tape.output(in, {x, gamma, beta});
  const Shape kept{shape.batch, shape.groups};
  const View mean{tape.scratch(kept.size()), kept}, rstd{tape.scratch(kept.size()), kept};
  const Activation f = options.activation;
  kernels::group_norm(shape, f, options.epsilon, x.value(), gamma.value(), beta.value(),
                      tape.mutable_value(y), mean, rstd);
  tape.record(y, [x, gamma, beta, y, shape, f, mean, rstd, t = &tape] {
    kernels::group_norm_backward(shape, f, x.value(), gamma.value(), y.value(), mean, rstd,
                                 t->grad(y), gradients_of(*t, x, gamma, beta));
  });
  return y;
}

Var batch_norm(Var x, const ChannelNorm& norm, Activation f) {
  const Shape channels{x.cols()};
  SACCADE_CHECK(norm.mean.shape == channels && norm.variance.shape == channels,
                "[batch_norm] mean and variance must have one number per channel; got ",
                norm.mean.shape, " and ", norm.variance.shape, " for ", x.shape());
  check_affine("batch_norm", x, norm.gamma, norm.beta);
  Tape& tape = x.tape();
  const Var gamma = norm.gamma, beta = norm.beta;
  const Var y = tape.output(x.shape(), {x, gamma, beta});
  const View rstd{tape.scratch(channels.size()), channels};
  kernels::reciprocal_deviation(norm.epsilon, norm.variance, rstd);
  kernels::batch_norm(f, x.value(), gamma.value(), beta.value(), norm.mean, rstd,
                      tape.mutable_value(y));
  tape.record(y, [x, gamma, beta, y, f, mean = norm.mean, rstd, t = &tape] {
    kernels::batch_norm_backward(f, x.value(), gamma.value(), y.value(), mean, rstd, t->grad(y),
                                 gradients_of(*t, x, gamma, beta));
  });
  return y;
}

Var layer_norm(Var x, Var gamma, Var beta, double epsilon) {
  SACCADE_CHECK(x.shape().rank() >= 1 && x.shape().size() > 0, "[layer_norm] needs [..., D]; got ",
                x.shape());
  check_affine("layer_norm", x, gamma, beta);
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x, gamma, beta});
  const View mean{tape.scratch(x.rows()), {x.rows()}}, rstd{tape.scratch(x.rows()), {x.rows()}};
  kernels::layer_norm(epsilon, x.value(), gamma.value(), beta.value(), tape.mutable_value(y), mean,
                      rstd);
  tape.record(y, [x, gamma, beta, y, mean, rstd, t = &tape] {
    kernels::layer_norm_backward(x.value(), gamma.value(), mean, rstd, t->grad(y),
                                 gradients_of(*t, x, gamma, beta));
  });
  return y;
}

Var normalize_rows(Var x) {
  constexpr Real kFloor = Real(1e-8);
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  const View norm{tape.scratch(x.rows()), {x.rows()}};
  kernels::normalize_rows(x.value(), kFloor, tape.mutable_value(y), norm);
  tape.record(y, [x, y, norm, t = &tape] {
    kernels::normalize_rows_backward(y.value(), norm, kFloor, t->grad(y), t->grad(x));
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
