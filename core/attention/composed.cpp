#include "core/attention/composed.h"

#include <algorithm>

#include "core/attention/axes.h"
#include "core/attention/choosers.h"
#include "core/attention/weight_edit.h"
#include "core/base/error.h"
#include "core/ops/alignment_ops.h"
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

// The value that a context gives to a number that changes in training, or else the value that the
// number ends with.
double now_or(double now, double last) { return now > 0 ? now : last; }

// A column of numbers, one for each row.
template <class F>
Var column(Tape& tape, std::span<const int> rows, F value) {
  const auto count = static_cast<Index>(rows.size());
  const View out{tape.scratch(count), {count, 1}};
  for (Index r = 0; r < count; ++r) out[r] = value(rows[static_cast<std::size_t>(r)]);
  return tape.constant(out);
}

// What a row's weights lack to 1, as one more column.
Var with_remainder(Tape& tape, Var weights) {
  const Index regions = weights.cols();
  const View ones{tape.scratch(regions), {regions, 1}};
  std::fill_n(ones.data, regions, Real{1});
  const View one{tape.scratch(weights.rows()), {weights.rows(), 1}};
  std::fill_n(one.data, weights.rows(), Real{1});
  const Var sum = ops::linear(weights, tape.constant(ones));
  // Rounding may take a sum above 1.
  const Var rest = ops::relu(ops::add(tape.constant(one), ops::scale(sum, -1)));
  return ops::concat_cols(std::vector<Var>{weights, rest});
}

// The part of the context that comes from regions: of those that were taken, or their mean. Choice
// L takes none of them.
Var of_regions(Tape& tape, Var values, Var weights, std::span<const int> chosen, Index group) {
  const auto regions = static_cast<int>(weights.cols());
  if (std::none_of(chosen.begin(), chosen.end(), [&](int c) { return c == regions; }))
    return ops::context(values, weights, chosen, group);
  std::vector<int> inside(chosen.begin(), chosen.end());
  std::replace(inside.begin(), inside.end(), regions, 0);
  const Var taken = column(tape, chosen, [&](int c) { return c == regions ? Real{0} : Real{1}; });
  return ops::scale_rows(ops::context(values, weights, inside, group), taken);
}

// How much of the sentinel a row takes: its weight or, where a choice was made, all or nothing.
Var sentinel_share(Tape& tape, Var weights, std::span<const int> chosen) {
  const Index regions = weights.cols() - 1;
  const Var weight = ops::slice_cols(weights, regions, 1);
  if (chosen.empty()) return weight;
  const Var taken = column(tape, chosen, [&](int c) { return c == regions ? Real{1} : Real{0}; });
  const auto expected = std::count(chosen.begin(), chosen.end(), -1);
  if (expected == 0) return taken;
  const Var kept = column(tape, chosen, [](int c) { return c < 0 ? Real{1} : Real{0}; });
  return ops::add(taken, ops::scale_rows(weight, kept));
}

// The region that all heads took in each row, and -1 where they differ or took none.
std::span<const int> common_choice(Tape& tape, std::span<const RegionDraws> draws, Index regions) {
  if (draws.empty()) return {};
  if (draws.size() == 1 && draws[0].weights.cols() == regions) return draws[0].chosen;
  const std::span<int> common = tape.keep(draws[0].chosen);
  for (std::size_t r = 0; r < common.size(); ++r) {
    const bool same = std::all_of(draws.begin(), draws.end(), [&](const RegionDraws& head) {
      return head.chosen[r] == common[r];
    });
    if (!same || common[r] >= regions) common[r] = -1;
  }
  return common;
}

// A memory of near regions. Where all queries have the same list, it has one entry per memory, and
// otherwise one per query.
class NearMemory {
 public:
  NearMemory(Tape& tape, const AttentionMemory& memory, const NearRegions& near, Index rows)
      : count_(near.count) {
    const Index group = memory.layout.group, regions = memory.regions();
    const bool shared = near.shared();
    const Index entries = shared ? (rows + group - 1) / group : rows;
    const Var mask = memory.layout.mask;
    View seen;
    if (mask || !near.seen.empty()) seen = {tape.scratch(entries * count_), {entries, count_}};
    for (Index e = 0; e < entries; ++e) {
      const Index m = shared ? e : e / group, list = shared ? 0 : e * count_;
      for (Index w = 0; w < count_; ++w) {
        const auto at = static_cast<std::size_t>(list + w);
        const int region = near.regions[at];
        rows_.push_back(static_cast<int>(m * regions) + region);
        if (seen.data)
          seen.row(e)[w] = (!mask || mask.value().row(m)[region] != 0) &&
                                   (near.seen.empty() || near.seen[at] != 0)
                               ? Real{1}
                               : Real{0};
      }
    }
    memory_.layout = {.grid = {.rows = 1, .cols = count_},
                      .group = shared ? group : 1,
                      .mask = seen.data ? tape.constant(seen) : Var{}};
    const View none{tape.scratch(1), {entries, count_, 0}};
    memory_.features = tape.constant(none);
  }
  // Its layout, and features without content.
  const AttentionMemory& memory() const { return memory_; }
  // The near regions of a part [M, L, C] -> [N, W, C].
  Var gathered(Var part) const {
    const Shape shape = part.shape();
    const Var all = ops::reshape(part, {shape[0] * shape[1], shape[2]});
    return ops::reshape(ops::embedding(all, rows_),
                        {memory_.features.shape()[0], count_, shape[2]});
  }

 private:
  Index count_;
  AttentionMemory memory_;
  std::vector<int> rows_;  // [N W], the rows of all regions of all memories
};

// Makes every row a memory of one region [R, 1, D], which is scored like any other.
Var as_regions(Var rows) { return ops::reshape(rows, {rows.rows(), 1, rows.cols()}); }

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

Var ComposedAttention::context_weights(Tape& tape, const Weighed& weighed,
                                       const AttendContext& context) const {
  if (!parts_.selection.traits.relaxes || !tape.training()) return weighed.weights;
  const Index rows = weighed.scores.rows();
  const auto regions = static_cast<std::size_t>(weighed.scores.cols());
  const std::span<Real> noise(tape.scratch(weighed.scores.shape().size()),
                              static_cast<std::size_t>(rows) * regions);
  const RandomKey key{tape.seed(), Stream::kAttention, tape.step(), tape.first_sample()};
  for (Index r = 0; r < rows; ++r)
    gumbel_noise(glimpse_key(key, r, context.glimpse()),
                 noise.subspan(static_cast<std::size_t>(r) * regions, regions));
  const double temperature =
      now_or(context.gumbel_temperature, parts_.selection.gumbel_temperature);
  return ops::gumbel_one_hot(weighed.scores, static_cast<Real>(temperature), noise);
}

RegionDraws ComposedAttention::draw(Var odds, std::size_t head, bool in_order, Tape& tape,
                                    const AttendContext& context) const {
  const auto rows = static_cast<std::size_t>(odds.rows());
  const std::span<int> chosen(tape.arena().allocate_array<int>(rows), rows);
  const Index number =
      context.draw(static_cast<Index>(head), static_cast<Index>(parts_.heads.size()));
  if (in_order)
    context.chooser->choose_in_order(odds.value(), number, chosen);
  else
    context.chooser->choose(odds.value(), number, chosen);
  return {.weights = odds.value(), .chosen = chosen};
}

Var ComposedAttention::scores_of(Tape& tape, const AttentionHead& head, Var query, Var keys,
                                 Index group, const SentinelVectors& sentinel,
                                 const AttendContext& context) const {
  Var scores = head.score->scores(tape, query, keys, group);  // [R, L]
  if (sentinel.value) {
    const Var own =
        head.score->scores(tape, query, head.score->keys(tape, as_regions(sentinel.key)), 1);
    scores = ops::concat_cols(std::vector<Var>{scores, own});
  }
  if (head.log_scale >= 0) scores = ops::scale_by(scores, ops::exp(tape.parameter(head.log_scale)));
  if (const double temperature = now_or(context.temperature, parts_.temperature); temperature != 1)
    scores = ops::scale(scores, static_cast<Real>(1 / temperature));
  return scores;
}

Var ComposedAttention::with_sentinel(Tape& tape, const AttentionHead& head, Var context,
                                     Var sentinel, Var share) const {
  Var value = sentinel;
  if (head.value_weight >= 0) value = ops::linear(value, tape.parameter(head.value_weight));
  return ops::add(context, ops::scale_rows(value, share));
}

ComposedAttention::HeadOutput ComposedAttention::attend_near(
    Tape& tape, std::size_t number, Var query, const AttentionMemory& memory,
    const NearRegions& near, const SentinelVectors& sentinel, const AttendContext& context) const {
  const AttentionHead& head = parts_.heads[number];
  const NearMemory seen(tape, memory, near, query.rows());
  const Index group = seen.memory().layout.group, regions = memory.regions();
  const Var scores = scores_of(tape, head, query, seen.gathered(memory.parts[2 * number]), group,
                               sentinel, context);
  const Weighed weighed = head.scope->weigh_near(tape, seen.memory(), near,
                                                 {.scores = scores,
                                                  .query = query,
                                                  .state = {},
                                                  .step = context.step,
                                                  .normalizer = normalizer_});
  Var on_near = weighed.weights;
  if (sentinel.value) on_near = ops::slice_cols(weighed.weights, 0, near.count);
  HeadOutput out;
  out.context = ops::context(seen.gathered(memory.parts[2 * number + 1]), on_near, {}, group);
  out.weights = ops::place_regions(on_near, near.regions, regions);
  if (!sentinel.value) return out;
  const Var share = ops::slice_cols(weighed.weights, near.count, 1);
  out.context = with_sentinel(tape, head, out.context, sentinel.value, share);
  out.weights = ops::concat_cols(std::vector<Var>{out.weights, share});
  return out;
}

ComposedAttention::HeadOutput ComposedAttention::attend_head(
    Tape& tape, std::size_t number, Var query, const AttentionMemory& memory,
    std::span<const Var> state, const SentinelVectors& sentinel_vectors,
    const AttendContext& context) const {
  const AttentionHead& head = parts_.heads[number];
  // Choices, edits and relaxed draws are made among all regions.
  if (!context.chooser && !context.edit && !parts_.selection.traits.relaxes)
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
  weighed.weights = edited(tape, weighed.weights, memory, context.edit);
  HeadOutput out;
  out.weights = weighed.weights;
  Var on_regions = out.weights;
  if (sentinel) on_regions = ops::slice_cols(out.weights, 0, memory.regions());
  if (context.chooser) {
    const bool in_order = head.scope->may_take_none() && parts_.selection.traits.draws_regions;
    const Var odds = in_order ? with_remainder(tape, out.weights) : out.weights;
    out.draws = draw(odds, number, in_order, tape, context);
    weighed.state = head.scope->chosen_state(tape, weighed, out.draws.chosen);
    out.context = of_regions(tape, values, on_regions, out.draws.chosen, group);
    if (context.estimator) {
      const ops::ReinforceRows rows{.estimator = context.estimator, .first = context.first_row};
      const std::span<const int> drawn = context.chooser->drawn(out.draws.chosen);
      out.surrogate = weighed.scores && parts_.normalizer == "softmax"
                          ? ops::reinforce(weighed.scores, out.weights, drawn, rows)
                          : ops::reinforce_weights(odds, drawn, rows);
    }
  } else {
    out.context = ops::context(
        values, sentinel ? on_regions : context_weights(tape, weighed, context), {}, group);
  }
  if (sentinel)
    out.context = with_sentinel(tape, head, out.context, sentinel,
                                sentinel_share(tape, out.weights, out.draws.chosen));
  out.state = std::move(weighed.state);
  return out;
}

Glimpse ComposedAttention::attend(Tape& tape, Var query, const AttentionMemory& memory,
                                  std::span<const Var> state, const AttendContext& context) const {
  const std::size_t heads = parts_.heads.size();
  SentinelVectors sentinel;
  if (parts_.sentinel_weight >= 0) {
    SACCADE_CHECK(context.sentinel, "[attention] the decoder gave no sentinel");
    sentinel.value = ops::linear(context.sentinel, tape.parameter(parts_.sentinel_weight));
    sentinel.key = parts_.sentinel_key < 0
                       ? sentinel.value
                       : ops::linear(context.sentinel, tape.parameter(parts_.sentinel_key));
  }
  Glimpse glimpse;
  std::vector<Var> contexts, maps;
  const std::size_t states = state.size() / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    HeadOutput head =
        attend_head(tape, h, query, memory, state.subspan(h * states, states), sentinel, context);
    contexts.push_back(head.context);
    maps.push_back(head.weights);
    if (context.chooser) glimpse.draws.push_back(head.draws);
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
