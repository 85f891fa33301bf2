#include "core/ops/graph_attention.h"

#include "core/kernels/graph_attention.h"
#include "core/ops/sdpa.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

kernels::GraphInputs inputs(Var nodes, Var query, Var key, Index heads, const AttentionMask& mask) {
  return {nodes.value(), query.value(), key.value(), heads, mask};
}

void check(Var nodes, Var query, Var key, Index heads, const AttentionMask& mask) {
  check_attention("graph_attention", nodes, nodes, nodes, heads, mask);
  SACCADE_CHECK(mask.pattern == AttentionMask::Pattern::kNeighbours,
                "[graph_attention] needs lists of neighbours");
  SACCADE_CHECK(query.shape() == Shape{nodes.cols()} && key.shape() == Shape{nodes.cols()},
                "[graph_attention] query and key must be [", nodes.cols(), "]; got ", query.shape(),
                " and ", key.shape());
}

kernels::GraphKept keep_values(Tape& tape, Var nodes, Index heads) {
  const Shape shape{nodes.shape()[0], nodes.shape()[1], heads};
  const auto make = [&] { return View{tape.scratch(shape.size()), shape}; };
  return {.query = make(), .key = make(), .lse = make()};
}

}  // namespace

Var graph_attention(Var nodes, Var query, Var key, Index heads, const AttentionMask& mask) {
  check(nodes, query, key, heads, mask);
  Tape& tape = nodes.tape();
  const Var y = tape.output(nodes.shape(), {nodes, query, key});
  const kernels::GraphKept kept = keep_values(tape, nodes, heads);
  kernels::graph_attention(inputs(nodes, query, key, heads, mask), tape.mutable_value(y), kept);
  tape.record(y, [=, lists = keep_mask(tape, mask), t = &tape] {
    const auto wanted = [&](Var x) { return x.requires_grad() ? t->grad(x) : View{}; };
    kernels::graph_attention_backward(
        inputs(nodes, query, key, heads, lists), y.value(), kept, t->grad(y),
        {.dnodes = wanted(nodes), .dquery = wanted(query), .dkey = wanted(key)});
  });
  return y;
}

ConstView graph_attention_weights(Var nodes, Var query, Var key, Index heads,
                                  const AttentionMask& mask) {
  check(nodes, query, key, heads, mask);
  Tape& tape = nodes.tape();
  const kernels::GraphKept kept = keep_values(tape, nodes, heads);
  const kernels::GraphInputs in = inputs(nodes, query, key, heads, mask);
  kernels::graph_attention(in, {tape.scratch(nodes.shape().size()), nodes.shape()}, kept);
  const Shape shape{nodes.shape()[0], heads, nodes.shape()[1], nodes.shape()[1]};
  const View weights{tape.scratch(shape.size()), shape};
  kernels::graph_attention_weights(in, kept, weights);
  return weights;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
