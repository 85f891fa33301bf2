#include "core/ops/biased_attention.h"

#include "core/kernels/biased_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

void check_biased(Var q, Var k, Var v, Var bias) {
  const Shape shape = q.shape();
  SACCADE_CHECK(shape.rank() == 3 && k.shape() == shape && v.shape() == shape &&
                    bias.shape().rank() == 2 &&
                    (bias.shape()[0] == shape[1] * shape[1] ||
                     bias.shape()[0] == shape[0] * shape[1] * shape[1]) &&
                    bias.shape()[1] > 0 && shape[2] % bias.shape()[1] == 0,
                "[biased_attention] shapes do not fit: ", shape, ", ", k.shape(), ", ", v.shape(),
                " and ", bias.shape());
}

}  // namespace

ConstView biased_attention_weights(Var q, Var k, Var bias) {
  check_biased(q, k, k, bias);
  const Index heads = bias.shape()[1], count = q.shape()[0], places = q.shape()[1];
  const Shape shape{count, heads, places, places};
  const View out{q.tape().scratch(shape.size()), shape};
  kernels::biased_attention_weights(
      {.count = count, .places = places, .heads = heads, .width = q.shape()[2] / heads},
      {q.value(), k.value(), {}, bias.value()}, out);
  return out;
}

Var biased_attention(Var q, Var k, Var v, Var bias, std::span<const int> parts) {
  check_biased(q, k, v, bias);
  const Shape shape = q.shape();
  const auto cells = static_cast<Index>(parts.size());
  SACCADE_CHECK(parts.empty() || (cells % shape[1] == 0 && shape[0] % (cells / shape[1]) == 0),
                "[biased_attention] ", cells, " parts do not fit to ", shape);
  Tape& tape = q.tape();
  const Var y = tape.output(shape, {q, k, v, bias});
  const kernels::BiasedWindows windows{.count = shape[0],
                                       .places = shape[1],
                                       .heads = bias.shape()[1],
                                       .width = shape[2] / bias.shape()[1],
                                       .parts = tape.keep(parts)};
  const auto inputs = [q, k, v, bias] {
    return kernels::BiasedInputs{q.value(), k.value(), v.value(), bias.value()};
  };
  kernels::biased_attention(windows, inputs(), tape.mutable_value(y));
  tape.record(y, [=, t = &tape] {
    const auto wanted = [t](Var x) { return x.requires_grad() ? t->grad(x) : View(); };
    kernels::biased_attention_backward(windows, inputs(), t->grad(y),
                                       {wanted(q), wanted(k), wanted(v), wanted(bias)});
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
