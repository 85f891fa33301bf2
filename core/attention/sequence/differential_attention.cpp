#include "core/attention/sequence/differential_attention.h"

#include <cmath>

#include "core/ops/pointwise.h"
#include "core/ops/sdpa.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Half the features: the width of Q1, Q2, K1 and K2.
DenseWidths half(const SequenceWidths& widths) {
  if (widths.heads < 1 || widths.features < 1 || widths.features % (2 * widths.heads) != 0)
    throw UsageError(str(widths.key, " ", widths.heads, ": differential attention halves every ",
                         "head, which needs a width divisible by ", 2 * widths.heads, "; got ",
                         widths.features));
  return {.in = widths.features, .out = widths.features / 2};
}

int declare_vector(const ParamScope& scope, const std::string& name, const SequenceWidths& widths) {
  return scope.sub("lambda").declare(name, {half(widths).out / widths.heads}, Init::normal(0.1),
                                     Decay::kNo);
}

}  // namespace

double differential_initial(Index layer) {
  return 0.8 - 0.6 * std::exp(-0.3 * static_cast<double>(layer));
}

DifferentialAttention::DifferentialAttention(const ParamScope& scope, const SequenceWidths& widths,
                                             double lambda_initial)
    : features_(widths.features),
      heads_(widths.heads),
      initial_(lambda_initial),
      query_1_(scope.sub("query_1"), half(widths)),
      query_2_(scope.sub("query_2"), half(widths)),
      key_1_(scope.sub("key_1"), half(widths)),
      key_2_(scope.sub("key_2"), half(widths)),
      value_(scope.sub("value"), {widths.features, widths.features}),
      output_(scope.sub("output"), {widths.features, widths.features}),
      gain_(scope.declare("gain", {widths.features / widths.heads}, Init::constant(1), Decay::kNo)),
      lambda_query_1_(declare_vector(scope, "query_1", widths)),
      lambda_key_1_(declare_vector(scope, "key_1", widths)),
      lambda_query_2_(declare_vector(scope, "query_2", widths)),
      lambda_key_2_(declare_vector(scope, "key_2", widths)) {}

ops::LambdaVectors DifferentialAttention::vectors(Tape& tape) const {
  return {.query_1 = tape.parameter(lambda_query_1_),
          .key_1 = tape.parameter(lambda_key_1_),
          .query_2 = tape.parameter(lambda_query_2_),
          .key_2 = tape.parameter(lambda_key_2_)};
}

// (A1 - lambda A2) V = A1 V - lambda A2 V, so that both maps stay inside the fused op.
Var DifferentialAttention::join(Tape& tape, Var first, Var second) const {
  const Shape shape = first.shape();
  const Var heads = ops::reshape(ops::differential(first, second, vectors(tape), initial_),
                                 {first.rows() * heads_, first.cols() / heads_});
  const Var normed =
      ops::scale(ops::rms_norm(heads, tape.parameter(gain_)), static_cast<Real>(1 - initial_));
  return output_(tape, ops::reshape(normed, shape));
}

ConstView DifferentialAttention::difference(Tape& tape, Var x, std::span<const Var> keys,
                                            const AttentionMask& mask) const {
  const ConstView first = ops::sdpa_weights(query_1_(tape, x), keys[0], heads_, mask),
                  second = ops::sdpa_weights(query_2_(tape, x), keys[1], heads_, mask);
  const Real lambda = ops::differential_lambda(vectors(tape), initial_);
  const View out{tape.scratch(first.size()), first.shape};
  for (Index i = 0; i < out.size(); ++i) out[i] = first[i] - lambda * second[i];
  return out;
}

Var DifferentialAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  const Var values = value_(tape, x);
  const Var first = ops::sdpa(query_1_(tape, x), key_1_(tape, x), values, heads_, mask),
            second = ops::sdpa(query_2_(tape, x), key_2_(tape, x), values, heads_, mask);
  return join(tape, first, second);
}

ConstView DifferentialAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return difference(tape, x, std::vector<Var>{key_1_(tape, x), key_2_(tape, x)}, mask);
}

std::vector<Var> DifferentialAttention::kept(Tape& tape, Var x) const {
  return {key_1_(tape, x), key_2_(tape, x), value_(tape, x)};
}

Var DifferentialAttention::attend_causally(Tape& tape, Var x, std::span<const Var> kept) const {
  const AttentionMask mask = causal_mask(x.shape()[1], kept[0].shape()[1]);
  const Var first = ops::sdpa(query_1_(tape, x), kept[0], kept[2], heads_, mask),
            second = ops::sdpa(query_2_(tape, x), kept[1], kept[2], heads_, mask);
  return join(tape, first, second);
}

ConstView DifferentialAttention::causal_weights(Tape& tape, Var x,
                                                std::span<const Var> kept) const {
  return difference(tape, x, kept, causal_mask(x.shape()[1], kept[0].shape()[1]));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
