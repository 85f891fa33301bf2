#include "core/ops/linear_attention.h"

#include "core/kernels/linear_attention.h"
#include "core/ops/sdpa.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

void check_inputs(const char* op, Var q, Var k, Var v, Index heads, const AttentionMask& mask) {
  check_attention(op, q, k, v, heads, mask);
  const bool causal = mask.pattern == AttentionMask::Pattern::kCausal;
  SACCADE_CHECK(causal || mask.pattern == AttentionMask::Pattern::kAll, "[", op,
                "] sums over all keys or all earlier ones; windows and neighbours need a softmax");
  SACCADE_CHECK(!causal || q.shape() == k.shape(), "[", op,
                "] causal sums need as many keys as queries; got ", q.shape(), " and ", k.shape());
}

}  // namespace

Var linear_attention(Var q, Var k, Var v, Index heads, const AttentionMask& mask) {
  check_inputs("linear_attention", q, k, v, heads, mask);
  Tape& tape = q.tape();
  const Shape shape = q.shape();
  const Var y = tape.output(shape.with_last(v.cols()), {q, k, v});
  const View z{tape.scratch(shape[0] * heads * shape[1]), {shape[0], heads, shape[1]}};
  kernels::linear_attention({q.value(), k.value(), v.value(), heads, mask}, tape.mutable_value(y),
                            z);
  tape.record(y, [q, k, v, heads, kept = keep_mask(tape, mask), y, z, t = &tape] {
    const auto wanted = [&](Var x) { return x.requires_grad() ? t->grad(x) : View{}; };
    kernels::linear_attention_backward({q.value(), k.value(), v.value(), heads, kept}, y.value(), z,
                                       t->grad(y),
                                       {.dq = wanted(q), .dk = wanted(k), .dv = wanted(v)});
  });
  return y;
}

ConstView linear_attention_weights(Var q, Var k, Index heads, const AttentionMask& mask) {
  check_inputs("linear_attention_weights", q, k, k, heads, mask);
  const Shape shape{q.shape()[0], heads, q.shape()[1], k.shape()[1]};
  const View weights{q.tape().scratch(shape.size()), shape};
  kernels::linear_attention_weights({q.value(), k.value(), k.value(), heads, mask}, weights);
  return weights;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
