#include "core/ops/sdpa.h"

#include "core/kernels/sdpa.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

void check_attention(const char* op, Var q, Var k, Var v, Index heads, const AttentionMask& mask) {
  const Shape queries = q.shape(), keys = k.shape(), values = v.shape();
  SACCADE_CHECK(
      queries.rank() == 3 && keys.rank() == 3 && queries[0] == keys[0] && queries[2] == keys[2],
      "[", op, "] needs q [B, T, H d] and k [B, S, H d]; got ", queries, " and ", keys);
  SACCADE_CHECK(heads > 0 && queries[2] > 0 && queries[2] % heads == 0, "[", op, "] ", heads,
                " heads do not divide the width of q ", queries);
  SACCADE_CHECK(values.rank() == 3 && values[0] == keys[0] && values[1] == keys[1] &&
                    values[2] > 0 && values[2] % heads == 0,
                "[", op, "] needs v [B, S, H e] in ", heads, " heads; got ", values, " beside k ",
                keys);
  check_mask(op, mask, {queries[0], queries[1], keys[1]});
}

AttentionMask keep_mask(Tape& tape, const AttentionMask& mask) {
  AttentionMask kept = mask;
  kept.starts = tape.keep(mask.starts);
  kept.neighbours = tape.keep(mask.neighbours);
  kept.lengths = tape.keep(mask.lengths);
  kept.allowed = tape.keep(mask.allowed);
  return kept;
}

Var sdpa(Var q, Var k, Var v, Index heads, const AttentionMask& mask) {
  check_attention("sdpa", q, k, v, heads, mask);
  Tape& tape = q.tape();
  const Shape shape = q.shape();
  const Var y = tape.output(shape.with_last(v.cols()), {q, k, v});
  const View lse{tape.scratch(shape[0] * heads * shape[1]), {shape[0], heads, shape[1]}};
  kernels::sdpa({q.value(), k.value(), v.value(), heads, mask}, tape.mutable_value(y), lse);
  tape.record(y, [q, k, v, heads, kept = keep_mask(tape, mask), y, lse, t = &tape] {
    const auto wanted = [&](Var x) { return x.requires_grad() ? t->grad(x) : View{}; };
    kernels::sdpa_backward({q.value(), k.value(), v.value(), heads, kept}, y.value(), lse,
                           t->grad(y), {.dq = wanted(q), .dk = wanted(k), .dv = wanted(v)});
  });
  return y;
}

ConstView sdpa_weights(Var q, Var k, Index heads, const AttentionMask& mask) {
  check_attention("sdpa_weights", q, k, k, heads, mask);
  const Shape shape{q.shape()[0], heads, q.shape()[1], k.shape()[1]};
  const View weights{q.tape().scratch(shape.size()), shape};
  kernels::sdpa_weights({q.value(), k.value(), k.value(), heads, mask}, weights);
  return weights;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
