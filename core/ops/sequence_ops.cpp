#include "core/ops/sequence_ops.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/kernels/pointwise.h"
#include "core/ops/write_to.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

// Eight partial sums fit into one SIMD vector.
Real sum_of(const Real* numbers, Index count) {
  constexpr Index kLanes = 8;
  std::array<Real, kLanes> sums{};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (Index j = 0; j < kLanes; ++j) sums[static_cast<std::size_t>(j)] += numbers[i + j];
  for (; i < count; ++i) sums[0] += numbers[i];
  return std::accumulate(sums.begin(), sums.end(), Real{0});
}

void check_targets(const char* op, Var logits, std::span<const int> targets) {
  SACCADE_CHECK(static_cast<Index>(targets.size()) == logits.rows(), "[", op, "] ", targets.size(),
                " targets for logits ", logits.shape());
  for (const int target : targets)
    SACCADE_CHECK(target >= 0 && target < logits.cols(), "[", op, "] target ", target, " of ",
                  logits.cols(), " classes");
}

}  // namespace

LstmState lstm_cell(Var gates, Var c_prev) {
  const Index rows = c_prev.rows(), width = c_prev.cols();
  SACCADE_CHECK(gates.rows() == rows && gates.cols() == 4 * width, "[lstm_cell] gates ",
                gates.shape(), " for cell ", c_prev.shape());
  Tape& tape = gates.tape();
  // One node holds h above c, so that a gradient of either one runs the step's backward.
  const Var both = tape.output({2, rows, width}, {gates, c_prev});
  const LstmState out{tape.alias(both, 0, {rows, width}),
                      tape.alias(both, rows * width, {rows, width})};
  const View tanh_c{tape.scratch(rows * width), {rows, width}};
  kernels::lstm_cell(tape.mutable_value(gates), c_prev.value(), tape.mutable_value(out.c), tanh_c,
                     tape.mutable_value(out.h));
  tape.record(both, [gates, c_prev, out, tanh_c, t = &tape] {
    const View dgates = t->grad(gates);
    const View dc_prev = c_prev.requires_grad()
                             ? t->grad(c_prev)
                             : View{t->scratch(c_prev.shape().size()), c_prev.shape()};
    kernels::lstm_cell_backward(gates.value(), c_prev.value(), tanh_c, t->grad(out.c),
                                t->grad(out.h), dgates, dc_prev);
  });
  return out;
}

Var gru_cell(Var input, Var hidden, Var h_prev) {
  const Index rows = h_prev.rows(), width = h_prev.cols();
  for (const Var gates : {input, hidden})
    SACCADE_CHECK(gates.rows() == rows && gates.cols() == 3 * width, "[gru_cell] gates ",
                  gates.shape(), " for state ", h_prev.shape());
  Tape& tape = input.tape();
  const Var h = tape.output({rows, width}, {input, hidden, h_prev});
  kernels::gru_cell(tape.mutable_value(input), hidden.value(), h_prev.value(),
                    tape.mutable_value(h));
  tape.record(h, [input, hidden, h_prev, h, t = &tape] {
    kernels::gru_cell_backward(input.value(), hidden.value(), h_prev.value(), t->grad(h),
                               t->grad(input), t->grad(hidden), t->grad(h_prev));
  });
  return h;
}

Var cross_entropy(Var logits, std::span<const int> targets) {
  check_targets("cross_entropy", logits, targets);
  Tape& tape = logits.tape();
  const std::span<int> kept = tape.keep(targets);
  const Var nll = tape.output({logits.rows()}, {logits});
  const View lse{tape.scratch(logits.rows()), {logits.rows()}};
  kernels::cross_entropy(logits.value(), kept, tape.mutable_value(nll), lse);
  tape.record(nll, [logits, kept, nll, lse, t = &tape] {
    const auto target = t->grad_target(logits);
    kernels::cross_entropy_backward(logits.value(), kept, lse, t->grad(nll), target.view,
                                    write_to(target));
  });
  return nll;
}

Var logit_margin(Var logits, std::span<const int> targets, Index first) {
  check_targets("logit_margin", logits, targets);
  SACCADE_CHECK(first >= 0 && first < logits.cols(), "[logit_margin] classes from ", first, " of ",
                logits.cols());
  Tape& tape = logits.tape();
  const std::span<int> kept = tape.keep(targets);
  const Index count = logits.cols() - first;
  const Var margin = tape.output({logits.rows()}, {logits});
  const View out = tape.mutable_value(margin);
  for (Index r = 0; r < logits.rows(); ++r) {
    const Real* row = logits.value().row(r);
    out[r] = row[kept[static_cast<std::size_t>(r)]] -
             sum_of(row + first, count) / static_cast<Real>(count);
  }
  tape.record(margin, [logits, kept, first, count, margin, t = &tape] {
    const auto target = t->grad_target(logits);
    const ConstView dmargin = t->grad(margin);
    for (Index r = 0; r < logits.rows(); ++r) {
      Real* row = target.view.row(r);
      if (target.fresh) std::fill_n(row, logits.cols(), Real{0});
      const Real each = dmargin[r] / static_cast<Real>(count);
      for (Index v = first; v < first + count; ++v) row[v] -= each;
      row[kept[static_cast<std::size_t>(r)]] += dmargin[r];
    }
  });
  return margin;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
