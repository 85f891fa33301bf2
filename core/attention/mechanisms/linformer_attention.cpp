#include <cmath>

#include "core/attention/mechanisms/mechanism.h"
#include "core/attention/observer.h"
#include "core/ops/linear.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Wang et al. 2020, eq. 7: a learned [k, L] matrix mixes keys and values along the length, once per
// image, and each word weighs the k mixtures. Keys and values share the matrix (the paper's
// "key-value sharing"). The map over the regions is those weights times the matrix, so its numbers
// may be negative.
class LinformerMechanism : public Attention {
 public:
  explicit LinformerMechanism(MechanismParts parts) : parts_(std::move(parts)) {
    const ParamScope& scope = parts_.scope;
    const Index a = parts_.hidden;
    mixing_ = scope.declare("mixing", {parts_.projected, parts_.regions},
                            Init::glorot(parts_.regions, parts_.projected));
    key_weight_ = scope.declare("key.weight", {parts_.keys, a}, Init::glorot(parts_.keys, a));
    query_weight_ = scope.declare("query.weight", {parts_.query, a}, Init::glorot(parts_.query, a));
    query_bias_ = scope.declare("query.bias", {a}, Init::constant(0), Decay::kNo);
  }

  // Parts: mixed keys [M, k, A], mixed features [M, k, D].
  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    AttentionMemory memory = bare_memory(regions, layout);
    const Index images = regions.features.shape()[0], count = memory.regions();
    SACCADE_CHECK(count == parts_.regions, "[linformer] made for ", parts_.regions,
                  " regions; got ", count);
    SACCADE_CHECK(!layout.mask, "[linformer] a mask has no meaning for mixtures of regions");
    const Var mixing = tape.parameter(mixing_);
    // Every image has the same k queries.
    const Var every = ops::concat_rows(std::vector<Var>(static_cast<std::size_t>(images), mixing));
    const auto mixture = [&](Var of) {
      return ops::reshape(ops::context(of, every, {}, parts_.projected),
                          {images, parts_.projected, of.shape()[2]});
    };
    const Var mixed = mixture(regions.features);
    const Var scored = regions.keys ? mixture(regions.keys) : mixed;
    memory.parts = {ops::linear(scored, tape.parameter(key_weight_)), mixed};
    return memory;
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var>,
                 const AttendContext& context) const override {
    const Var q = ops::linear(query, tape.parameter(query_weight_), tape.parameter(query_bias_));
    const Real scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(parts_.hidden)));
    const Index group = memory.layout.group;
    const Var weights = ops::softmax(ops::dot_score(memory.parts[0], q, scale, group));
    Glimpse glimpse;
    if (!context.replaces()) glimpse.context = ops::context(memory.parts[1], weights, {}, group);
    glimpse.weights = ops::linear(weights, tape.parameter(mixing_));
    if (context.replaces()) {
      glimpse.weights = replaced(tape, glimpse.weights, memory, context);
      glimpse.context = ops::context(memory.features, glimpse.weights, {}, group);
    }
    if (parts_.gate) parts_.gate->apply(tape, query, glimpse);
    return glimpse;
  }

  Promises promises() const override {
    return {.nonnegative = false, .sum_to_one = false, .moves_with_regions = false};
  }

 private:
  MechanismParts parts_;
  int mixing_, key_weight_, query_weight_, query_bias_;
};

}  // namespace

std::unique_ptr<Attention> make_linformer_attention(MechanismParts parts) {
  return std::make_unique<LinformerMechanism>(std::move(parts));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
