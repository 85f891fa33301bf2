#include <cmath>

#include "core/attention/mechanisms/mechanism.h"
#include "core/attention/observer.h"
#include "core/attention/scopes/scope.h"
#include "core/ops/differential.h"
#include "core/ops/linear.h"
#include "core/ops/normalizers.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr double kLambdaInit = 0.8;

// softmax(q1 k1) - lambda softmax(q2 k2) (Ye et al. 2024, eq. 1-2): it takes away what both maps
// attend to, with lambda = exp(l1' m1) - exp(l2' m2) + 0.8 for learned vectors l and m. The paper's
// norm over each head belongs to its multi-head block (see sequence/), and is not here, because a
// decoder's context has one head.
class DifferentialMechanism : public Attention {
 public:
  explicit DifferentialMechanism(MechanismParts parts)
      : parts_(std::move(parts)), half_(parts_.hidden / 2) {
    SACCADE_CHECK(parts_.hidden % 2 == 0,
                  "attention.mechanism differential needs an even attention.hidden; got ",
                  parts_.hidden);
    const ParamScope& scope = parts_.scope;
    for (int m = 0; m < 2; ++m) {
      const ParamScope map = scope.sub(m == 0 ? "first" : "second");
      maps_[m] = {
          .key = map.declare("key.weight", {parts_.keys, half_}, Init::glorot(parts_.keys, half_)),
          .query =
              map.declare("query.weight", {parts_.query, half_}, Init::glorot(parts_.query, half_)),
          .bias = map.declare("query.bias", {half_}, Init::constant(0), Decay::kNo),
          .lambda_query = map.declare("lambda_query", {half_}, Init::normal(0.1), Decay::kNo),
          .lambda_key = map.declare("lambda_key", {half_}, Init::normal(0.1), Decay::kNo)};
    }
  }

  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    AttentionMemory memory = bare_memory(regions, layout);
    for (const Map& map : maps_)
      memory.parts.push_back(ops::linear(regions.scored(), tape.parameter(map.key)));
    return memory;
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var>,
                 const AttendContext& context) const override {
    const auto weights = [&](std::size_t m) {
      const Var q =
          ops::linear(query, tape.parameter(maps_[m].query), tape.parameter(maps_[m].bias));
      const Real scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(half_)));
      const Var scores = ops::dot_score(memory.parts[m], q, scale, memory.layout.group);
      return ops::softmax(mask_regions(tape, memory, scores, nullptr));
    };
    Glimpse glimpse;
    glimpse.weights = ops::differential(weights(0), weights(1), vectors(tape), kLambdaInit);
    glimpse.weights = replaced(tape, glimpse.weights, memory, context);
    glimpse.context = ops::context(memory.features, glimpse.weights, {}, memory.layout.group);
    if (parts_.gate) parts_.gate->apply(tape, query, glimpse);
    return glimpse;
  }

  Promises promises() const override { return {.nonnegative = false, .sum_to_one = false}; }

 private:
  struct Map {
    int key, query, bias, lambda_query, lambda_key;
  };

  ops::LambdaVectors vectors(Tape& tape) const {
    return {.query_1 = tape.parameter(maps_[0].lambda_query),
            .key_1 = tape.parameter(maps_[0].lambda_key),
            .query_2 = tape.parameter(maps_[1].lambda_query),
            .key_2 = tape.parameter(maps_[1].lambda_key)};
  }

  MechanismParts parts_;
  Index half_;
  Map maps_[2];
};

}  // namespace

std::unique_ptr<Attention> make_differential_attention(MechanismParts parts) {
  return std::make_unique<DifferentialMechanism>(std::move(parts));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
