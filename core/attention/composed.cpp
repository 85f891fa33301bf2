#include "core/attention/composed.h"

#include <algorithm>

#include "core/attention/observer.h"
#include "core/base/error.h"
#include "core/ops/linear.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The map of several heads is shown as their mean, in which all heads count the same.
Var mean_of(std::span<const Var> maps) {
  Var sum = maps[0];
  for (const Var map : maps.subspan(1)) sum = ops::add(sum, map);
  return maps.size() == 1 ? sum : ops::scale(sum, 1 / static_cast<Real>(maps.size()));
}

}  // namespace

ComposedAttention::ComposedAttention(ComposedParts parts) : parts_(std::move(parts)) {
  const Normalizer normalize = attention_normalizers().at(parts_.normalizer);
  if (parts_.selection.traits.keeps_largest)
    normalizer_ = [normalize, k = parts_.selection.k](Var scores) {
      return normalize(ops::top_k(scores, k));
    };
  else
    normalizer_ = normalize;
}

// Each head has two parts of the memory: keys and values.
AttentionMemory ComposedAttention::prepare(Tape& tape, const RegionVectors& regions,
                                           const MemoryLayout& layout) const {
  AttentionMemory memory = bare_memory(regions, layout);
  for (const AttentionHead& head : parts_.heads) {
    memory.parts.push_back(head.score->keys(tape, regions.scored()));
    memory.parts.push_back(head.value_weight < 0
                               ? regions.features
                               : ops::linear(regions.features, tape.parameter(head.value_weight)));
  }
  return memory;
}

std::vector<Var> ComposedAttention::start(Tape& tape, const AttentionMemory& memory) const {
  std::vector<Var> state;
  for (const AttentionHead& head : parts_.heads)
    for (const Var part : head.scope->start(tape, memory)) state.push_back(part);
  return state;
}

Var ComposedAttention::scores_of(Tape& tape, const AttentionHead& head, Var query, Var keys,
                                 Index group, const SentinelVectors& sentinel,
                                 const AttendContext& context) const {
  Var scores = head.score->scores(tape, query, keys, group);  // [R, L]
  if (sentinel.value)
    scores =
        ops::concat_cols(std::vector<Var>{scores, sentinel_score(tape, head, query, sentinel.key)});
  if (head.log_scale >= 0) scores = ops::scale_by(scores, ops::exp(tape.parameter(head.log_scale)));
  if (const double temperature = context.temperature > 0 ? context.temperature : parts_.temperature;
      temperature != 1)
    scores = ops::scale(scores, static_cast<Real>(1 / temperature));
  return scores;
}

ComposedAttention::HeadOutput ComposedAttention::attend_head(
    Tape& tape, std::size_t number, Var query, const AttentionMemory& memory,
    std::span<const Var> state, const SentinelVectors& sentinel_vectors,
    const AttendContext& context) const {
  const AttentionHead& head = parts_.heads[number];
  // Choices, replaced weights and relaxed draws are made among all regions.
  if (!context.chooses() && !context.replaces() && !parts_.selection.traits.relaxes)
    if (const NearRegions near = head.scope->near_regions(tape, memory, query, context.step);
        !near.empty())
      return attend_near(tape, number, query, memory, near, sentinel_vectors, context);
  const Var keys = memory.parts[2 * number], values = memory.parts[2 * number + 1];
  const Var sentinel = sentinel_vectors.value;
  const Index group = memory.layout.group;
  const Var scores = scores_of(tape, head, query, keys, group, sentinel_vectors, context);
  Weighed weighed = head.scope->weigh(tape, memory,
                                      {.scores = scores,
                                       .query = query,
                                       .state = state,
                                       .step = context.step,
                                       .normalizer = normalizer_});
  weighed.weights = replaced(tape, weighed.weights, memory, context);
  HeadOutput out;
  out.weights = weighed.weights;
  Var on_regions = out.weights;
  if (sentinel) on_regions = ops::slice_cols(out.weights, 0, memory.regions());
  if (context.chooses())
    take_regions(tape, number, memory, on_regions, weighed, context, out);
  else
    out.context = ops::context(
        values, sentinel ? on_regions : context_weights(tape, weighed, context), {}, group);
  if (sentinel)
    out.context = with_sentinel(tape, head, out.context, sentinel,
                                sentinel_share(tape, out.weights, out.draws.chosen));
  out.state = std::move(weighed.state);
  return out;
}

Glimpse ComposedAttention::attend(Tape& tape, Var query, const AttentionMemory& memory,
                                  std::span<const Var> state, const AttendContext& context) const {
  const std::size_t heads = parts_.heads.size();
  const SentinelVectors sentinel = sentinel_of(tape, context);
  Glimpse glimpse;
  std::vector<Var> contexts, maps;
  const std::size_t states = state.size() / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    HeadOutput head =
        attend_head(tape, h, query, memory, state.subspan(h * states, states), sentinel, context);
    contexts.push_back(head.context);
    maps.push_back(head.weights);
    if (context.chooses()) glimpse.draws.push_back(head.draws);
    // Heads draw independently of each other, so their log probabilities add up.
    if (head.surrogate)
      glimpse.surrogate = glimpse.surrogate
                              ? ops::sum(std::vector<Var>{glimpse.surrogate, head.surrogate})
                              : head.surrogate;
    glimpse.state.insert(glimpse.state.end(), head.state.begin(), head.state.end());
  }
  glimpse.chosen = common_choice(tape, glimpse.draws, memory.regions());
  glimpse.context = heads == 1 ? contexts[0] : ops::concat_cols(contexts);
  if (parts_.output_weight >= 0)
    glimpse.context = ops::linear(glimpse.context, tape.parameter(parts_.output_weight));
  if (sentinel.value) {
    const Index regions = memory.regions();
    glimpse.sentinel = ops::slice_cols(mean_of(maps), regions, 1);
    for (Var& map : maps) map = ops::slice_cols(map, 0, regions);
  }
  glimpse.weights = mean_of(maps);
  if (heads > 1) glimpse.heads = std::move(maps);
  if (parts_.gate) parts_.gate->apply(tape, query, glimpse);
  return glimpse;
}

Promises ComposedAttention::promises() const {
  Promises promises = parts_.heads.front().scope->promises();
  if (parts_.selection.traits.relaxes) promises.stands_alone = false;
  return promises;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
