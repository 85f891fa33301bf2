#include "core/ops/project_length.h"

#include "core/kernels/gemm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

// The first `count` positions of sample b.
ConstView positions(ConstView x, Index b, Index count) {
  return {x.data + b * x.shape[1] * x.cols(), {count, x.cols()}};
}
View positions(View x, Index b, Index count) {
  return {x.data + b * x.shape[1] * x.cols(), {count, x.cols()}};
}

}  // namespace

Var project_length(Var x, Var w, std::span<const int> lengths) {
  const Shape in = x.shape(), map = w.shape();
  SACCADE_CHECK(in.rank() == 3 && map.rank() == 2 && map[0] >= in[1],
                "[project_length] needs x [B, S, D] and w [M, K] with M >= S; got ", in, " and ",
                map);
  SACCADE_CHECK(lengths.empty() || static_cast<Index>(lengths.size()) == in[0], "[project_length] ",
                lengths.size(), " lengths for ", in);
  for (const int length : lengths)
    SACCADE_CHECK(length > 0 && length <= in[1], "[project_length] length ", length, " of ", in);
  Tape& tape = x.tape();
  const Var y = tape.output({in[0], map[1], in[2]}, {x, w});
  const auto count = [all = in[1]](std::span<const int> kept, Index b) -> Index {
    return kept.empty() ? all : kept[static_cast<std::size_t>(b)];
  };
  const View out = tape.mutable_value(y);
  for (Index b = 0; b < in[0]; ++b) {
    const Index used = count(lengths, b);
    kernels::matmul_tn({w.value().data, {used, map[1]}}, positions(x.value(), b, used),
                       positions(out, b, map[1]), 0);
  }
  tape.record(y, [x, w, y, count, kept = tape.keep(lengths), t = &tape] {
    const ConstView dy = t->grad(y);
    const Index slots = dy.shape[1];
    for (Index b = 0; b < dy.shape[0]; ++b) {
      const Index used = count(kept, b);
      const ConstView d = positions(dy, b, slots);
      if (x.requires_grad())
        kernels::matmul({w.value().data, {used, slots}}, d, positions(t->grad(x), b, used), 1);
      if (w.requires_grad())
        kernels::matmul_nt(positions(x.value(), b, used), d, {t->grad(w).data, {used, slots}}, 1);
    }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
