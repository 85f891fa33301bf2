#include "core/ops/tensor_ops.h"

#include <algorithm>

#include "core/kernels/gemm.h"
#include "core/kernels/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

Var rearrange(Var x, std::span<const int> from) {
  SACCADE_CHECK(x.shape().rank() > 0, "[rearrange] nothing to rearrange");
  Tape& tape = x.tape();
  const Index batch = x.shape()[0], each = x.shape().size() / std::max<Index>(batch, 1),
              count = static_cast<Index>(from.size());
  const Var y = tape.output({batch, count}, {x});
  Real* out = tape.mutable_value(y).data;
  for (Index b = 0; b < batch; ++b) {
    const Real* in = x.value().data + b * each;
    for (const int place : from) {
      SACCADE_CHECK(place >= -1 && place < each, "[rearrange] number ", place, " of ", each);
      *out++ = place < 0 ? Real{0} : in[place];
    }
  }
  tape.record(y, [x, y, from, batch, each, t = &tape] {
    const Real* dy = t->grad(y).data;
    const View dx = t->grad(x);
    for (Index b = 0; b < batch; ++b)
      for (const int place : from) {
        const Real one = *dy++;
        if (place >= 0) dx[b * each + place] += one;
      }
  });
  return y;
}

Var multiply_matrices(Var a, Var b) {
  const Shape left = a.shape(), right = b.shape();
  SACCADE_CHECK(left.rank() == 3 && right.rank() == 3 && left[0] == right[0] && left[2] == right[1],
                "[multiply_matrices] extents differ; got ", left, " x ", right);
  Tape& tape = a.tape();
  const Index count = left[0], m = left[1], k = left[2], p = right[2];
  const Var y = tape.output({count, m, p}, {a, b});
  const auto at = [](const auto& all, Index i, Index rows, Index cols) {
    using Part = std::remove_cvref_t<decltype(all)>;
    return Part{all.data + i * rows * cols, {rows, cols}};
  };
  for (Index i = 0; i < count; ++i)
    kernels::matmul(at(a.value(), i, m, k), at(b.value(), i, k, p),
                    at(tape.mutable_value(y), i, m, p), 0);
  tape.record(y, [=, t = &tape] {
    const ConstView dy = t->grad(y);
    for (Index i = 0; i < count; ++i) {
      if (a.requires_grad())
        kernels::matmul_nt(at(dy, i, m, p), at(b.value(), i, k, p), at(t->grad(a), i, m, k), 1);
      if (b.requires_grad())
        kernels::matmul_tn(at(a.value(), i, m, k), at(dy, i, m, p), at(t->grad(b), i, k, p), 1);
    }
  });
  return y;
}

Var add_channels(Var x, Var shift) {
  SACCADE_CHECK(shift.shape() == Shape{x.cols()},
                "[add_channels] needs a number for each channel; ", "got ", shift.shape(), " for ",
                x.shape());
  Tape& tape = x.tape();
  const Var y = tape.output(x.shape(), {x, shift});
  const View out = tape.mutable_value(y);
  std::copy_n(x.value().data, out.size(), out.data);
  kernels::add_row(shift.value(), out);
  tape.record(y, [x, shift, y, t = &tape] {
    const ConstView dy = t->grad(y);
    if (x.requires_grad()) kernels::accumulate(dy, t->grad(x));
    if (shift.requires_grad()) kernels::sum_rows(dy, t->grad(shift));
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
