#include "core/ops/linear.h"

#include <algorithm>

#include "core/kernels/gemm.h"
#include "core/kernels/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

// Adds x^T dy to the gradient of w; for a parameter, the product is left for the optimizer step.
void weight_backward(Tape& tape, Var w, ConstView x, ConstView dy) {
  if (tape.parameter_of(w) >= 0) {
    tape.defer(LinearGrad{tape.parameter_of(w), x, dy});
  } else {
    kernels::matmul_tn(x, dy, tape.grad(w), 1);
  }
}

// dx += dy w^T,  dw += x^T dy.
void linear_backward(Tape& tape, Var x, Var w, ConstView dy) {
  if (x.requires_grad()) {
    const auto dx = tape.grad_target(x);
    kernels::matmul_nt(dy, w.value(), dx.view, dx.beta());
  }
  if (w.requires_grad()) weight_backward(tape, w, x.value(), dy);
}

}  // namespace

Var linear(Var x, Var w, Var bias) {
  SACCADE_CHECK(w.shape().rank() == 2 && x.cols() == w.shape()[0],
                "[linear] inner extents differ; got ", x.shape(), " x ", w.shape());
  SACCADE_CHECK(!bias || bias.shape().size() == w.cols(), "[linear] bias ",
                bias ? bias.shape() : Shape{}, " for ", w.cols(), " outputs");
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape().with_last(w.cols()), {x, w, bias});
  const View out = tape.mutable_value(y);
  kernels::affine(x.value(), Trans::kNo, w.value(), bias ? bias.value() : ConstView{}, out);
  tape.record(y, [x, w, bias, y, t = &tape] {
    const ConstView dy = t->grad(y);
    linear_backward(*t, x, w, dy);
    if (bias && bias.requires_grad()) kernels::sum_rows(dy, t->grad(bias));
  });
  return y;
}

Var linear_transposed(Var x, Var w, Var bias) {
  SACCADE_CHECK(w.shape().rank() == 2 && x.cols() == w.cols(),
                "[linear_transposed] inner extents differ; got ", x.shape(), " x ", w.shape(), "'");
  SACCADE_CHECK(!bias || bias.shape().size() == w.rows(), "[linear_transposed] bias ",
                bias ? bias.shape() : Shape{}, " for ", w.rows(), " outputs");
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape().with_last(w.rows()), {x, w, bias});
  const View out = tape.mutable_value(y);
  kernels::affine(x.value(), Trans::kYes, w.value(), bias ? bias.value() : ConstView{}, out);
  tape.record(y, [x, w, bias, y, t = &tape] {
    const ConstView dy = t->grad(y);
    if (x.requires_grad()) {
      const auto dx = t->grad_target(x);
      kernels::matmul(dy, w.value(), dx.view, dx.beta());
    }
    if (w.requires_grad()) weight_backward(*t, w, dy, x.value());
    if (bias && bias.requires_grad()) kernels::sum_rows(dy, t->grad(bias));
  });
  return y;
}

Var accumulate_linear(Var sum, Var x, Var w) {
  SACCADE_CHECK(w.shape().rank() == 2 && x.cols() == w.shape()[0] && sum.rows() == x.rows() &&
                    sum.cols() == w.cols(),
                "[accumulate_linear] ", sum.shape(), " += ", x.shape(), " x ", w.shape(),
                " does not fit");
  Tape& tape = x.tape();
  SACCADE_CHECK(sum.requires_grad() || !(x.requires_grad() || w.requires_grad()),
                "[accumulate_linear] the sum must require a gradient");
  const Var y = tape.alias(sum, 0, sum.shape());
  kernels::matmul(x.value(), w.value(), tape.mutable_value(y), 1);
  tape.record(y, [x, w, y, t = &tape] { linear_backward(*t, x, w, t->grad(y)); });
  return y;
}

Var embedding(Var table, std::span<const int> ids) {
  const Shape& shape = table.shape();
  SACCADE_CHECK(shape.rank() == 2, "[embedding] the table must be [V, E]; got ", shape);
  for (const int id : ids)
    SACCADE_CHECK(id >= 0 && id < shape[0], "[embedding] id ", id, " is outside the table ", shape);
  Tape& tape = table.tape();
  const std::span<int> kept = tape.keep(ids);
  const Var y = tape.output({static_cast<Index>(ids.size()), shape[1]}, {table});
  const View out = tape.mutable_value(y);
  for (std::size_t i = 0; i < kept.size(); ++i)
    std::copy_n(table.value().row(kept[i]), shape[1], out.row(static_cast<Index>(i)));
  tape.record(y, [table, kept, y, t = &tape] {
    const ConstView dy = t->grad(y);
    if (t->parameter_of(table) >= 0) {
      t->defer(RowsGrad{t->parameter_of(table), kept, dy});
      return;
    }
    const View dtable = t->grad(table);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Shape row{1, dy.cols()};
      kernels::accumulate({dy.row(static_cast<Index>(i)), row}, {dtable.row(kept[i]), row});
    }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
