#include "core/attention/composed.h"

#include <algorithm>

#include "core/ops/linear.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

void apply_gate(Tape& tape, const ScalarGate* gate, Var query, Glimpse& glimpse) {
  if (!gate) return;
  glimpse.gate = (*gate)(tape, query);
  glimpse.context = ops::scale_rows(glimpse.context, glimpse.gate);
}

}  // namespace

AttentionMemory AttentionMemory::on(Tape& tape) const {
  AttentionMemory other = *this;
  if (features) other.features = tape.constant(features.value());
  if (keys) other.keys = tape.constant(keys.value());
  return other;
}

ScalarGate::ScalarGate(const ParamScope& scope, Index query_width)
    : weight_(scope.declare("weight", {query_width, 1}, Init::glorot(query_width, 1))),
      bias_(scope.declare("bias", {1}, Init::constant(0), Decay::kNo)) {}

Var ScalarGate::operator()(Tape& tape, Var query) const {
  return ops::sigmoid(ops::linear(query, tape.parameter(weight_), tape.parameter(bias_)));
}

ComposedAttention::ComposedAttention(std::unique_ptr<Score> score, double temperature,
                                     std::unique_ptr<ScalarGate> gate)
    : score_(std::move(score)),
      inverse_temperature_(static_cast<Real>(1 / temperature)),
      gate_(std::move(gate)) {}

AttentionMemory ComposedAttention::prepare(Tape& tape, Var features, Index group) const {
  return {.features = features, .keys = score_->keys(tape, features), .group = group};
}

Glimpse ComposedAttention::attend(Tape& tape, Var query, const AttentionMemory& memory,
                                  const AttendContext& context) const {
  Var scores = score_->scores(tape, query, memory.keys, memory.group);  // [R, L]
  if (inverse_temperature_ != 1) scores = ops::scale(scores, inverse_temperature_);
  Glimpse glimpse;
  glimpse.weights = ops::softmax(scores);
  if (context.chooser) {
    const auto rows = static_cast<std::size_t>(query.rows());
    const std::span<int> chosen(tape.arena().allocate_array<int>(rows), rows);
    context.chooser->choose(glimpse.weights.value(), context.step, chosen);
    glimpse.chosen = chosen;
  }
  glimpse.context = ops::context(memory.features, glimpse.weights, glimpse.chosen, memory.group);
  if (context.estimator && !glimpse.chosen.empty())
    glimpse.surrogate = ops::reinforce(scores, glimpse.weights, glimpse.chosen, context.estimator);
  apply_gate(tape, gate_.get(), query, glimpse);
  return glimpse;
}

// The keys hold the mean as a memory of one region, made once an image.
AttentionMemory MeanAttention::prepare(Tape&, Var features, Index group) const {
  const Shape& shape = features.shape();
  const Var mean = ops::reshape(ops::mean_regions(features), {shape[0], 1, shape[2]});
  return {.features = features, .keys = mean, .group = group};
}

Glimpse MeanAttention::attend(Tape& tape, Var query, const AttentionMemory& memory,
                              const AttendContext&) const {
  const Index regions = memory.features.shape()[1], rows = query.rows();
  const auto constant = [&](Index cols, Real value) {
    const View filled{tape.scratch(rows * cols), {rows, cols}};
    std::fill_n(filled.data, filled.size(), value);
    return tape.constant(filled);
  };
  Glimpse glimpse;
  glimpse.weights = constant(regions, 1 / static_cast<Real>(regions));
  glimpse.context = ops::context(memory.keys, constant(1, 1), {}, memory.group);
  apply_gate(tape, gate_.get(), query, glimpse);
  return glimpse;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
