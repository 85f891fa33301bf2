#include "core/attention/draws.h"

#include <algorithm>

#include "core/attention/composed.h"
#include "core/ops/linear.h"
#include "core/ops/normalizers.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

RandomKey coin_key(RandomKey key, std::uint64_t sample) {
  key.sample = sample << 16;
  return key;
}

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

}  // namespace

// The number of the draw stands in the lowest 16 bits and, what does not fit, in the highest 16, so
// that 2^32 samples with 2^32 draws each have keys of their own. A sample's coin has the number 0,
// and its draws those from 1 on.
RandomKey glimpse_key(RandomKey key, Index row, Index draw) {
  const std::uint64_t number = static_cast<std::uint64_t>(draw) + 1;
  key.sample += static_cast<std::uint64_t>(row);
  key.sample = (number >> 16) << 48 | key.sample << 16 | (number & 0xFFFF);
  return key;
}

void gumbel_noise(const RandomKey& key, std::span<Real> noise) {
  Random random(key);
  for (Real& g : noise) g = static_cast<Real>(random.gumbel());
}

int sample_region(Random& random, std::span<const Real> weights) {
  double left = random.uniform();
  for (std::size_t l = 0; l < weights.size(); ++l) {
    left -= static_cast<double>(weights[l]);
    if (left < 0) return static_cast<int>(l);
  }
  // Rounding left a remainder, which goes to the most probable region.
  return likeliest_region({.weights = weights});
}

int likeliest_region(const Odds& odds) {
  const std::span<const Real> weights = odds.weights;
  if (!odds.in_order)
    return static_cast<int>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  double left = 1;  // the probability that no region so far was taken
  std::size_t region = 0;
  for (; region + 1 < weights.size(); ++region) {
    const auto weight = static_cast<double>(weights[region]);
    if (weight > 0 && weight >= left / 2) break;
    left -= weight;
  }
  return static_cast<int>(region);
}

TrainingSampler::TrainingSampler(const RandomKey& key, const Draws& draws)
    : key_(key),
      samples_(draws.samples),
      proposals_(draws.proposals),
      expectation_(static_cast<std::size_t>(draws.captions)) {
  for (Index c = 0; c < draws.captions; ++c) {
    const auto sample =
        draws.coin == CoinKind::kImage ? key.sample + static_cast<std::uint64_t>(c) : 0;
    expectation_[static_cast<std::size_t>(c)] =
        Random(coin_key(key, sample)).uniform() < draws.expectation_share;
  }
  // Rows are numbered through the whole batch, so that no two share their draws.
  key_.sample *= static_cast<std::uint64_t>(samples_);
}

RegionChoice TrainingSampler::choose(const Odds& odds) {
  if (expectation_[static_cast<std::size_t>(odds.row / samples_)]) return {};
  Random random(glimpse_key(key_, odds.row, odds.draw));
  const auto draw = static_cast<std::size_t>(odds.draw);
  // Which map a region is drawn from does not depend on the weights, so draws from the weights are
  // rewarded as if there were no proposals.
  if (draw < proposals_.size() && proposals_[draw].maps.data &&
      random.uniform() <
          static_cast<double>(proposals_[draw].shares[static_cast<std::size_t>(odds.row)])) {
    const ConstView maps = proposals_[draw].maps;
    return {.region =
                sample_region(random, {maps.row(odds.row), static_cast<std::size_t>(maps.cols())})};
  }
  return {.region = sample_region(random, odds.weights), .sampled = true};
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
  const double temperature = context.gumbel_temperature > 0 ? context.gumbel_temperature
                                                            : parts_.selection.gumbel_temperature;
  return ops::gumbel_one_hot(weighed.scores, static_cast<Real>(temperature), noise);
}

void ComposedAttention::take_regions(Tape& tape, std::size_t number, const AttentionMemory& memory,
                                     Var on_regions, Weighed& weighed, const AttendContext& context,
                                     HeadOutput& out) const {
  const Scope& scope = *parts_.heads[number].scope;
  const bool in_order = scope.may_take_none() && parts_.selection.traits.draws_regions;
  const Var odds = in_order ? with_remainder(tape, weighed.weights) : weighed.weights;
  const auto rows = static_cast<std::size_t>(odds.rows()),
             columns = static_cast<std::size_t>(odds.cols());
  const Index draw =
      context.draw(static_cast<Index>(number), static_cast<Index>(parts_.heads.size()));
  const std::span<int> chosen(tape.arena().allocate_array<int>(rows), rows);
  std::vector<int> sampled;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = static_cast<Index>(r);
    const RegionChoice choice =
        context.observer->choose({.weights = {odds.value().row(row), columns},
                                  .row = row,
                                  .draw = draw,
                                  .in_order = in_order});
    chosen[r] = choice.region;
    sampled.push_back(choice.sampled ? choice.region : -1);
  }
  out.draws = {.weights = odds.value(), .chosen = chosen};
  weighed.state = scope.chosen_state(tape, weighed, chosen);
  out.context =
      of_regions(tape, memory.parts[2 * number + 1], on_regions, chosen, memory.layout.group);
  const ops::ReinforceRows& rewarded = context.estimator;
  if (!rewarded.estimator) return;
  out.surrogate = weighed.scores && parts_.normalizer == "softmax"
                      ? ops::reinforce(weighed.scores, weighed.weights, sampled, rewarded)
                      : ops::reinforce_weights(odds, sampled, rewarded);
}

Var ComposedAttention::sentinel_share(Tape& tape, Var weights, std::span<const int> chosen) {
  const Index regions = weights.cols() - 1;
  const Var weight = ops::slice_cols(weights, regions, 1);
  if (chosen.empty()) return weight;
  const Var taken = column(tape, chosen, [&](int c) { return c == regions ? Real{1} : Real{0}; });
  const auto expected = std::count(chosen.begin(), chosen.end(), -1);
  if (expected == 0) return taken;
  const Var kept = column(tape, chosen, [](int c) { return c < 0 ? Real{1} : Real{0}; });
  return ops::add(taken, ops::scale_rows(weight, kept));
}

std::span<const int> ComposedAttention::common_choice(Tape& tape,
                                                      std::span<const RegionDraws> draws,
                                                      Index regions) {
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

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
