#include "captioning/learning/objectives/caption_loss.h"

#include <algorithm>
#include <numeric>

#include "captioning/learning/objectives/scheduled_sampling.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "core/attention/axes.h"
#include "core/ops/pointwise.h"
#include "core/ops/sequence_ops.h"
#include "core/ops/shape_ops.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

constexpr Index kFirstTarget = Vocabulary::kEos;  // the first word that is not <pad> or <bos>

std::unique_ptr<GlimpseObserver> make_training_observer(const CaptionLossOptions& options,
                                                        const ShardKey& key, Index captions,
                                                        std::span<const Proposal> proposals) {
  const SelectionTraits& traits = attention_selections().at(options.selection);
  if (traits.takes_argmax) return std::make_unique<ArgmaxObserver>();
  if (!traits.draws_regions) return nullptr;  // what relaxes draws by itself
  return std::make_unique<TrainingSampler>(
      RandomKey{key.seed, Stream::kAttention, key.update,
                static_cast<std::uint64_t>(key.first_caption)},
      TrainingSampler::Draws{.coin = options.hard.coin,
                             .expectation_share = options.hard.expectation_share,
                             .captions = captions,
                             .samples = options.hard.samples,
                             .proposals = proposals});
}

// Repeats every caption `samples` times, one after the other.
PackedCaptions repeated(PackedCaptions captions, Index samples) {
  if (samples == 1) return captions;
  PackedCaptions out;
  out.temperature = captions.temperature;
  for (Index r = 0; r < captions.captions() * samples; ++r)
    out.images.push_back(static_cast<int>(captions.image(r / samples)));
  for (std::size_t n = 0; n < captions.inputs.size(); ++n)
    for (Index i = 0; i < samples; ++i) {
      out.inputs.push_back(captions.inputs[n]);
      out.targets.push_back(captions.targets[n]);
    }
  for (const Index rows : captions.rows) out.rows.push_back(rows * samples);
  return out;
}

// How many regions of each caption's image are unmasked. The rows have each caption `samples`
// times.
std::vector<Index> unmasked_regions(const EncodedImages& images, const PackedCaptions& rows,
                                    Index samples) {
  const Index regions = images.features.shape()[1];
  std::vector<Index> out(static_cast<std::size_t>(rows.captions() / samples), regions);
  for (std::size_t c = 0; images.mask && c < out.size(); ++c) {
    const Real* mask = images.mask.value().row(rows.image(static_cast<Index>(c) * samples));
    out[c] -= std::count(mask, mask + regions, Real{0});
  }
  return out;
}

// One memory per row of the captions.
AttentionMemory memory_of(const PackedCaptions& rows, const AttentionMemory& images) {
  return rows.images.empty() ? images : memory_of_rows(images, rows.images);
}

// The mean over the samples of each caption.
std::vector<double> sample_means(const std::vector<double>& rows, Index samples) {
  std::vector<double> out(rows.size() / static_cast<std::size_t>(samples), 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    out[r / static_cast<std::size_t>(samples)] += rows[r] / static_cast<double>(samples);
  return out;
}

}  // namespace

CaptionLossOptions loss_options(const ObjectiveConfig& objective, const AttentionConfig& attention,
                                const TrainingProgress& progress) {
  const auto now = [&](const Ramp& ramp) {
    return ramp.at(progress.update, progress.updates_per_epoch);
  };
  CaptionLossOptions options{.doubly_stochastic = objective.doubly_stochastic,
                             .coverage = objective.coverage,
                             .label_smoothing = objective.label_smoothing,
                             .scheduled_sampling = now(objective.scheduled_sampling),
                             .selection = attention.selection,
                             .hard = {},
                             .temperature = now(attention.temperature),
                             .gumbel_temperature = now(attention.gumbel_temperature)};
  if (!draws_regions(attention.selection)) return options;
  const HardValues values = resolved(attention.hard);
  options.hard = {
      .lambda_r = now(values.lambda_r),
      .lambda_e = now(values.lambda_e),
      .expectation_share = now(values.expectation_share),
      .baseline_decay = values.baseline_decay,
      .baseline = values.baseline,
      .coin = values.coin,
      .reward = values.reward,
      .likelihood = attention.hard.likelihood,
      .proposal = attention.hard.proposal,
      .samples = values.baseline == BaselineKind::kLeaveOneOut ? attention.hard.samples : 1};
  if (attention.hard.profile == HardProfile::kArctic)
    options.penalty_gradient = CaptionLossOptions::PenaltyGradient::kOff;
  return options;
}

std::vector<double> caption_sums(const PackedCaptions& captions, ConstView packed) {
  std::vector<double> sums(static_cast<std::size_t>(captions.captions()), 0);
  Index row = 0;
  for (const Index rows : captions.rows)
    for (Index c = 0; c < rows; ++c, ++row)
      sums[static_cast<std::size_t>(c)] += static_cast<double>(packed[row]);
  return sums;
}

template <class F>
void ShardLoss::for_each_word(F f) const {
  std::size_t n = 0;
  for (std::size_t t = 0; t < captions_.rows.size(); ++t)
    for (Index r = 0; r < captions_.rows[t]; ++r, ++n) f(n, static_cast<Index>(t), r);
}

ShardLoss::ShardLoss(Tape& tape, const Decoder& decoder, const EncodedImages& images,
                     PackedCaptions captions, const CaptionLossOptions& options,
                     const ShardKey& key, GlimpseObserver* observer, const ShardTargets& targets)
    : tape_(&tape), captions_(std::move(captions)), options_(options), key_(key) {
  run(decoder, images, observer, targets);
  const Index samples = options.hard.samples;
  nll_ = sample_means(caption_sums(captions_, output_.nll.value()), samples);
  costs_ = costs_of(output_.nll.value());
  regions_ = unmasked_regions(images, captions_, samples);
  penalties_.assign(nll_.size(), 0);
  if (options.doubly_stochastic > 0) penalise(images.features.shape()[1]);
}

double ShardLoss::penalty_scale(Index row) const {
  if (options_.coverage.scale == CoverageScale::kSum) return 1;
  return 1 / static_cast<double>(regions_[static_cast<std::size_t>(row / options_.hard.samples)]);
}

void ShardLoss::penalise(Index regions) {
  const Index samples = options_.hard.samples;
  std::vector<double> targets;
  for (Index r = 0; r < captions_.captions(); ++r)
    targets.push_back(coverage_target(options_.coverage, captions_.length(r),
                                      regions_[static_cast<std::size_t>(r / samples)]));
  penalty_ = ops::coverage(output_.weights(), std::vector<Real>(targets.begin(), targets.end()),
                           options_.coverage.target == CoverageTarget::kAtLeast
                               ? ops::CoverageSides::kBelow
                               : ops::CoverageSides::kBoth);
  const auto rows = penalty_.value().span();
  penalties_ = sample_means({rows.begin(), rows.end()}, samples);
  // A masked region has no weight: it adds the square of its target, and has no
  // gradient.
  for (std::size_t c = 0; c < penalties_.size(); ++c) {
    const Index row = static_cast<Index>(c) * samples;
    const double target = targets[static_cast<std::size_t>(row)];
    penalties_[c] -= static_cast<double>(regions - regions_[c]) * target * target;
    penalties_[c] *= penalty_scale(row);
  }
}

std::vector<int> ShardLoss::drawn_inputs(const Decoder& decoder, const AttentionMemory& memory,
                                         GlimpseObserver* observer) const {
  std::unique_ptr<GlimpseObserver> own;
  if (!observer) {
    CaptionLossOptions once = options_;
    once.hard.samples = 1;
    own = make_training_observer(once, key_, captions_.captions(), {});
    observer = own.get();
  }
  return scheduled_inputs(tape_->parameters(), decoder, captions_, memory,
                          {.observer = observer,
                           .temperature = options_.temperature,
                           .gumbel_temperature = options_.gumbel_temperature,
                           .likelihood = options_.hard.likelihood},
                          {.probability = options_.scheduled_sampling,
                           .seed = key_.seed,
                           .update = static_cast<Index>(key_.update),
                           .first_caption = key_.first_caption});
}

// Of a word's glimpses, the last one is supervised.
void ShardLoss::propose(Index glimpses_per_word) {
  if (options_.hard.proposal != ProposalKind::kLocalizer) return;
  for (const LocatedStep& step : supervision_.located()) {
    proposals_.resize(proposals_.size() + static_cast<std::size_t>(glimpses_per_word));
    proposals_.back() = {.maps = step.view(), .shares = step.shares};
  }
}

void ShardLoss::run(const Decoder& decoder, const EncodedImages& images, GlimpseObserver* observer,
                    const ShardTargets& targets) {
  const Index samples = options_.hard.samples, count = captions_.captions();
  SACCADE_CHECK(!captions_.images.empty() || images.features.shape()[0] == count, "[caption loss] ",
                count, " captions of ", images.features.shape()[0],
                " images, without the image of each");
  const AttentionMemory memory = decoder.prepare(*tape_, images, 1);
  if (options_.scheduled_sampling > 0)
    captions_.inputs = drawn_inputs(decoder, memory_of(captions_, memory), observer);
  captions_ = repeated(std::move(captions_), samples);
  supervision_ = ShardSupervision(*tape_, options_.supervision, targets,
                                  {.images = images, .rows = captions_, .samples = samples});
  const bool hard = draws_regions(options_.selection);
  sampled_.assign(static_cast<std::size_t>(count), observer != nullptr);
  if (!observer) {
    propose(decoder.glimpses_per_word());
    own_observer_ = make_training_observer(options_, key_, count, proposals_);
    observer = own_observer_.get();
    if (hard) {
      const auto& training = static_cast<const TrainingSampler&>(*own_observer_);
      for (std::size_t c = 0; c < sampled_.size(); ++c) sampled_[c] = !training.expectation()[c];
    }
  }
  AttendContext context{.observer = observer,
                        .temperature = options_.temperature,
                        .gumbel_temperature = options_.gumbel_temperature};
  if (hard) {
    weights_.assign(static_cast<std::size_t>(captions_.words()), 0);
    const double rows = static_cast<double>(key_.batch_captions * samples);
    estimator_ = {.advantage = weights_.data(),
                  .entropy_weight = static_cast<Real>(options_.hard.lambda_e / rows)};
    context.estimator.estimator = &estimator_;
    context.likelihood = options_.hard.likelihood;
  }
  output_ = decoder.sequence(*tape_, captions_, memory_of(captions_, memory), context);
  supervision_.compute_costs(output_);

  if (!hard || options_.hard.baseline != BaselineKind::kGreedy) return;
  // The greedy baseline of every caption: the same words, with the argmax region at each, without
  // dropout in the decoder.
  Arena arena;
  Tape rival(arena);
  rival.set_parameters(tape_->parameters());
  rival.set_recording(false);
  ArgmaxObserver argmax;
  const AttendContext greedy{.observer = &argmax,
                             .temperature = options_.temperature,
                             .likelihood = options_.hard.likelihood};
  const AttentionMemory rival_memory = decoder.prepare(rival, images.values().on(rival), 1);
  greedy_costs_ = costs_of(
      decoder.sequence(rival, captions_, memory_of(captions_, rival_memory), greedy).nll.value());
}

std::vector<double> ShardLoss::costs_of(ConstView nll) const {
  const std::vector<double> sums = caption_sums(captions_, nll);
  std::vector<double> costs(static_cast<std::size_t>(captions_.words())), spent(sums.size(), 0);
  const bool marginal = options_.hard.likelihood == HardLikelihood::kMarginal;
  for_each_word([&](std::size_t n, Index, Index r) {
    const auto row = static_cast<std::size_t>(r);
    const double own = static_cast<double>(nll[static_cast<Index>(n)]);
    switch (options_.hard.reward) {
      case RewardKind::kSum:
        costs[n] = sums[row];
        break;
      case RewardKind::kMean:
        costs[n] = sums[row] / static_cast<double>(captions_.length(r));
        break;
      case RewardKind::kToGo:
        // A marginal likelihood does not depend on what is drawn for its own word.
        costs[n] = sums[row] - spent[row] - (marginal ? own : 0);
        spent[row] += own;
        break;
    }
  });
  return costs;
}

Index ShardLoss::words_of_cost(Index row, Index step) const {
  const Index all = captions_.length(row);
  if (options_.hard.reward != RewardKind::kToGo) return all;
  return all - step - (options_.hard.likelihood == HardLikelihood::kMarginal ? 1 : 0);
}

std::vector<DrawCost> ShardLoss::draw_costs() const {
  std::vector<DrawCost> out;
  const bool to_go = options_.hard.reward == RewardKind::kToGo;
  for_each_word([&](std::size_t n, Index t, Index r) {
    const Index words = words_of_cost(r, t);
    if (words > 0 && (t == 0 || to_go)) out.push_back({costs_[n], words});
  });
  return out;
}

double ShardLoss::average_cost(const RewardBaseline& moving, Index row, Index step) const {
  return moving.at(options_.hard.baseline, words_of_cost(row, step));
}

std::vector<double> ShardLoss::baselines(const RewardBaseline& moving) const {
  const CaptionLossOptions::Hard& hard = options_.hard;
  std::vector<double> out(costs_.size());
  const auto samples = static_cast<std::size_t>(hard.samples);
  for_each_word([&](std::size_t n, Index t, Index r) {
    switch (hard.baseline) {
      case BaselineKind::kNone:
      case BaselineKind::kEma:
      case BaselineKind::kEmaPerLength:
        out[n] = average_cost(moving, r, t);
        break;
      case BaselineKind::kLearned:
        out[n] = average_cost(moving, r, t) +
                 static_cast<double>(output_.values[static_cast<std::size_t>(t)].value()[r]);
        break;
      case BaselineKind::kGreedy:
        out[n] = greedy_costs_[n];
        break;
      case BaselineKind::kLeaveOneOut: {
        const std::size_t first = n - static_cast<std::size_t>(r) % samples;
        const double sum =
            std::accumulate(costs_.begin() + static_cast<std::ptrdiff_t>(first),
                            costs_.begin() + static_cast<std::ptrdiff_t>(first + samples), 0.0);
        out[n] = (sum - costs_[n]) / static_cast<double>(samples - 1);
        break;
      }
    }
  });
  return out;
}

void ShardLoss::backward(const RewardBaseline& moving) {
  const double share = 1 / static_cast<double>(key_.batch_captions * options_.hard.samples);
  const auto every_word = [&](double weight) {
    return std::vector<Real>(static_cast<std::size_t>(captions_.words()),
                             static_cast<Real>(weight));
  };
  std::vector<Var> terms{ops::dot_constant(output_.nll, every_word(share))};
  if (options_.label_smoothing > 0) {
    SACCADE_CHECK(
        output_.logits,
        "[caption loss] a mixture over regions has no logits, so its labels cannot be smoothed");
    terms.push_back(
        ops::dot_constant(ops::logit_margin(output_.logits, captions_.targets, kFirstTarget),
                          every_word(share * options_.label_smoothing)));
  }
  if (draws_regions(options_.selection)) {
    const std::vector<double> subtracted = baselines(moving);
    advantages_.assign(costs_.size(), 0);
    for_each_word([&](std::size_t n, Index t, Index r) {
      if (!sampled_[static_cast<std::size_t>(r / options_.hard.samples)]) return;
      if (words_of_cost(r, t) == 0) return;
      advantages_[n] = costs_[n] - subtracted[n];
      weights_[n] = static_cast<Real>(options_.hard.lambda_r * advantages_[n] * share);
    });
  }
  // The value head learns the costs: its gradient is that of share (average + value - cost)^2. It
  // reads the decoder's state as a constant, so the gradient reaches nothing else.
  std::size_t first = 0;
  for (std::size_t t = 0; t < output_.values.size(); ++t) {
    const Var value = output_.values[t];
    std::vector<Real> pull;
    for (Index r = 0; r < value.rows(); ++r, ++first) {
      const Index step = static_cast<Index>(t);
      const double miss =
          average_cost(moving, r, step) + static_cast<double>(value.value()[r]) - costs_[first];
      pull.push_back(words_of_cost(r, step) == 0 ? Real{0} : static_cast<Real>(2 * share * miss));
    }
    terms.push_back(ops::dot_constant(value, pull));
  }
  if (penalty_ && options_.penalty_gradient == CaptionLossOptions::PenaltyGradient::kOn) {
    std::vector<Real> of_rows;
    for (Index r = 0; r < penalty_.shape().size(); ++r)
      of_rows.push_back(static_cast<Real>(options_.doubly_stochastic * share * penalty_scale(r)));
    terms.push_back(ops::dot_constant(penalty_, of_rows));
  }
  for (const Var term : supervision_.terms(share)) terms.push_back(term);
  terms.insert(terms.end(), output_.surrogates.begin(), output_.surrogates.end());
  tape_->backward(ops::sum(terms));
}

RewardBaseline batch_baseline(RewardBaseline& moving, const CaptionLossOptions& options,
                              std::span<const ShardLoss* const> shards) {
  if (!draws_regions(options.selection)) return moving;
  std::vector<double> numbers;  // value and words of every cost
  for (const ShardLoss* shard : shards)
    for (const DrawCost& cost : shard->draw_costs())
      numbers.insert(numbers.end(), {cost.value, static_cast<double>(cost.words)});
  numbers = parallel::join_numbers(numbers);
  std::vector<DrawCost> costs;
  for (std::size_t i = 0; i < numbers.size(); i += 2)
    costs.push_back({.value = numbers[i], .words = static_cast<Index>(numbers[i + 1])});
  RewardBaseline used = moving;
  used.update(costs, 1);
  moving.update(costs, options.hard.baseline_decay);
  return used;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
