#include "core/ops/pointwise.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/pointwise.h"
#include "core/ops/write_to.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {
void check_same(const char* op, Var a, Var b) {
  SACCADE_CHECK(a.shape() == b.shape(), "[", op, "] shapes must be equal; got ", a.shape(), " and ",
                b.shape());
}

struct Target {
  View dx;
  kernels::Write write;
};
// Where the gradient of x goes, number by number from that of y: in its place, if possible.
Target in_place(Tape& tape, Var y, Var x) {
  if (tape.hand_over_grad(y, x)) return {tape.grad(x), kernels::Write::kAssign};
  const Tape::GradTarget to = tape.grad_target(x);
  return {to.view, write_to(to)};
}

void add_gradient(Tape& tape, Var x, ConstView gradient) {
  const Tape::GradTarget dx = tape.grad_target(x);
  if (dx.fresh) {
    std::copy_n(gradient.data, gradient.size(), dx.view.data);
  } else {
    kernels::accumulate(gradient, dx.view);
  }
}
}  // namespace

Var add(Var a, Var b) {
  check_same("add", a, b);
  Tape& tape = a.tape();
  const Var y = tape.output(a.shape(), {a, b});
  kernels::add(a.value(), b.value(), tape.mutable_value(y));
  tape.record(y, [a, b, y, t = &tape] {
    const ConstView dy = t->grad(y);
    if (a.requires_grad()) add_gradient(*t, a, dy);
    if (b.requires_grad() && !t->hand_over_grad(y, b)) add_gradient(*t, b, dy);
  });
  return y;
}

Var multiply(Var a, Var b) {
  check_same("multiply", a, b);
  Tape& tape = a.tape();
  const Var y = tape.output(a.shape(), {a, b});
  kernels::multiply(a.value(), b.value(), tape.mutable_value(y));
  tape.record(y, [a, b, y, t = &tape] {
    if (a.requires_grad()) kernels::accumulate_product(t->grad(y), b.value(), t->grad(a));
    if (b.requires_grad()) kernels::accumulate_product(t->grad(y), a.value(), t->grad(b));
  });
  return y;
}

Var scale(Var x, Real factor) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  for (Index i = 0; i < out.size(); ++i) out[i] = factor * in[i];
  tape.record(y,
              [x, y, factor, t = &tape] { kernels::accumulate(t->grad(y), t->grad(x), factor); });
  return y;
}

Var tanh(Var x) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  kernels::tanh(x.value(), tape.mutable_value(y));
  tape.record(y, [x, y, t = &tape] { kernels::tanh_backward(y.value(), t->grad(y), t->grad(x)); });
  return y;
}

Var sigmoid(Var x) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  kernels::sigmoid(x.value(), tape.mutable_value(y));
  tape.record(y,
              [x, y, t = &tape] { kernels::sigmoid_backward(y.value(), t->grad(y), t->grad(x)); });
  return y;
}

Var relu(Var x) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  kernels::relu(x.value(), tape.mutable_value(y));
  tape.record(y, [x, y, t = &tape] {
    const auto [dx, write] = in_place(*t, y, x);
    kernels::relu_backward(y.value(), t->grad(y), dx, write);
  });
  return y;
}

Var leaky_relu(Var x, Real slope) {
  SACCADE_CHECK(slope >= 0 && slope < 1, "[leaky_relu] slope must be in [0, 1); got ", slope);
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  kernels::leaky_relu(x.value(), slope, tape.mutable_value(y));
  tape.record(y, [x, y, slope, t = &tape] {
    kernels::leaky_relu_backward(y.value(), slope, t->grad(y), t->grad(x));
  });
  return y;
}

Var clip(Var x, const Interval& to) {
  SACCADE_CHECK(to.lowest <= to.highest, "[clip] to an empty interval: ", to.lowest, " to ",
                to.highest);
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  for (Index i = 0; i < out.size(); ++i) out[i] = std::clamp(in[i], to.lowest, to.highest);
  tape.record(y, [x, y, to, t = &tape] {
    const ConstView dy = t->grad(y), value = x.value();
    const View dx = t->grad(x);
    for (Index i = 0; i < dy.size(); ++i)
      if (value[i] > to.lowest && value[i] < to.highest) dx[i] += dy[i];
  });
  return y;
}

Var log_above(Var x, Real lowest) {
  SACCADE_CHECK(lowest > 0, "[log_above] of numbers above ", lowest);
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  for (Index i = 0; i < out.size(); ++i) out[i] = std::log(std::max(in[i], lowest));
  tape.record(y, [x, y, lowest, t = &tape] {
    const ConstView dy = t->grad(y), value = x.value();
    const View dx = t->grad(x);
    for (Index i = 0; i < dy.size(); ++i)
      if (value[i] > lowest) dx[i] += dy[i] / value[i];
  });
  return y;
}

Var exp(Var x) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  kernels::exp(x.value(), tape.mutable_value(y));
  tape.record(
      y, [x, y, t = &tape] { kernels::accumulate_product(t->grad(y), y.value(), t->grad(x)); });
  return y;
}

Var gelu(Var x) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  kernels::gelu(x.value(), tape.mutable_value(y));
  tape.record(y, [x, y, t = &tape] {
    const auto [dx, write] = in_place(*t, y, x);
    kernels::gelu_backward(x.value(), t->grad(y), dx, write);
  });
  return y;
}

Var dropout(Var x, double rate) {
  SACCADE_CHECK(rate >= 0 && rate < 1, "[dropout] rate must be in [0, 1); got ", rate);
  Tape& tape = x.tape();
  if (!tape.training() || rate == 0) return x;
  const Var y = tape.output(x.shape(), {x});
  auto* keep =
      tape.arena().allocate_array<std::uint8_t>(static_cast<std::size_t>(x.shape().size()));
  kernels::dropout(tape.next_key(Stream::kDropout), rate, x.value(), tape.mutable_value(y), keep);
  tape.record(y, [x, y, rate, keep, t = &tape] {
    kernels::dropout_backward(keep, rate, t->grad(y), t->grad(x));
  });
  return y;
}

Var scale_rows(Var x, Var factor) {
  SACCADE_CHECK(factor.shape().size() == x.rows(), "[scale_rows] needs one factor per row; got ",
                factor.shape(), " for ", x.shape());
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x, factor});
  kernels::scale_rows(x.value(), factor.value(), tape.mutable_value(y));
  tape.record(y, [x, factor, y, t = &tape] {
    const ConstView dy = t->grad(y), value = x.value();
    for (Index r = 0; r < dy.rows(); ++r) {
      if (x.requires_grad()) {
        const View dx = t->grad(x);
        for (Index c = 0; c < dy.cols(); ++c) dx.row(r)[c] += factor.value()[r] * dy.row(r)[c];
      }
      if (factor.requires_grad()) {
        Real sum = 0;
        for (Index c = 0; c < dy.cols(); ++c) sum += dy.row(r)[c] * value.row(r)[c];
        t->grad(factor)[r] += sum;
      }
    }
  });
  return y;
}

Var scale_by(Var x, Var factor) {
  SACCADE_CHECK(factor.shape().size() == 1, "[scale_by] needs a single factor; got ",
                factor.shape());
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x, factor});
  const View out = tape.mutable_value(y);
  const ConstView in = x.value();
  const Real by = factor.value()[0];
  for (Index i = 0; i < out.size(); ++i) out[i] = by * in[i];
  tape.record(y, [x, factor, y, t = &tape] {
    const ConstView dy = t->grad(y);
    if (x.requires_grad()) kernels::accumulate(dy, t->grad(x), factor.value()[0]);
    if (!factor.requires_grad()) return;
    Real sum = 0;
    for (Index i = 0; i < dy.size(); ++i) sum += dy[i] * x.value()[i];
    t->grad(factor)[0] += sum;
  });
  return y;
}

Var reciprocal(Var x) {
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x});
  const View out = tape.mutable_value(y);
  for (Index i = 0; i < out.size(); ++i) out[i] = 1 / x.value()[i];
  tape.record(y, [x, y, t = &tape] {
    const ConstView dy = t->grad(y);
    const View dx = t->grad(x);
    for (Index i = 0; i < dy.size(); ++i) dx[i] -= dy[i] * y.value()[i] * y.value()[i];
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
