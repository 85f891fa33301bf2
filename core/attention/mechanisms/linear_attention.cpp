#include "core/attention/mechanisms/mechanism.h"
#include "core/attention/observer.h"
#include "core/ops/linear.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr Real kLowest = -20;

// Katharopoulos et al. 2020, eq. 4-7, with weights phi(q)' phi(k_l) / sum. The sums of phi(k_l)
// a_l' and of phi(k_l) over the regions are computed once per image, so the context of a word costs
// the same for any number of regions. The map is computed besides, to be recorded. Where there are
// fewer regions than channels of the keys, the context is the map times the features: the same
// sums, in the order that is cheaper then.
class LinearMechanism : public Attention {
 public:
  explicit LinearMechanism(MechanismParts parts)
      : parts_(std::move(parts)),
        key_weight_(parts_.scope.declare("key.weight", {parts_.keys, parts_.hidden},
                                         Init::glorot(parts_.keys, parts_.hidden))),
        query_weight_(parts_.scope.declare("query.weight", {parts_.query, parts_.hidden},
                                           Init::glorot(parts_.query, parts_.hidden))),
        query_bias_(
            parts_.scope.declare("query.bias", {parts_.hidden}, Init::constant(0), Decay::kNo)) {}

  // Parts: phi(keys) [M, L, A], the sum of phi(k) [M, 1, A] and, where L >= A, the sum of
  // phi(k) a' [M, A, D].
  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    AttentionMemory memory = bare_memory(regions, layout);
    const Var features = regions.features;
    const Shape shape = features.shape();
    Var keys = phi(ops::linear(regions.scored(), tape.parameter(key_weight_)));
    if (const Var mask = memory.layout.mask) {
      const Var flat = ops::reshape(keys, {shape[0] * shape[1], parts_.hidden});
      keys = ops::reshape(ops::scale_rows(flat, ops::reshape(mask, {shape[0] * shape[1], 1})),
                          keys.shape());
    }
    const Var total = ops::scale(ops::mean_regions(keys), static_cast<Real>(shape[1]));
    memory.parts = {keys, ops::reshape(total, {shape[0], 1, parts_.hidden})};
    if (shape[1] < parts_.hidden) return memory;
    // Every channel of the keys weighs the regions as a query does: there are A channels per
    // memory.
    const Var by_channel =
        ops::reshape(ops::transpose_regions(keys), {shape[0] * parts_.hidden, shape[1]});
    const Var summary = ops::context(features, by_channel, {}, parts_.hidden);
    memory.parts.push_back(ops::reshape(summary, {shape[0], parts_.hidden, shape[2]}));
    return memory;
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var>,
                 const AttendContext& context) const override {
    const Index group = memory.layout.group;
    const Var q =
        phi(ops::linear(query, tape.parameter(query_weight_), tape.parameter(query_bias_)));
    const Var share = ops::reciprocal(ops::dot_score(memory.parts[1], q, 1, group));  // [R, 1]
    Glimpse glimpse;
    glimpse.weights = ops::scale_rows(ops::dot_score(memory.parts[0], q, 1, group), share);
    glimpse.weights = replaced(tape, glimpse.weights, memory, context);
    // The sums computed once per image know nothing of weights that replaced those of the map.
    glimpse.context = memory.parts.size() == 2 || context.replaces()
                          ? ops::context(memory.features, glimpse.weights, {}, group)
                          : ops::scale_rows(ops::context(memory.parts[2], q, {}, group), share);
    if (parts_.gate) parts_.gate->apply(tape, query, glimpse);
    return glimpse;
  }

 private:
  // elu(x) + 1 is x + 1 above 0 and exp(x) below. The exponent is bounded, so that no product
  // underflows, and regions of nearly no weight get equal weights instead of 0 / 0.
  static Var phi(Var x) {
    return ops::add(ops::relu(x), ops::exp(ops::clip(x, {.lowest = kLowest, .highest = 0})));
  }

  MechanismParts parts_;
  int key_weight_, query_weight_, query_bias_;
};

}  // namespace

std::unique_ptr<Attention> make_linear_attention(MechanismParts parts) {
  return std::make_unique<LinearMechanism>(std::move(parts));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
