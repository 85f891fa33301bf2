#include "captioning/learning/training/train_step.h"

#include <cmath>

#include "captioning/learning/config/experiment_config.h"

namespace saccade {

Index TrainBatch::captions() const {
  Index total = 0;
  for (const TrainShard& shard : shards) total += shard.captions.captions();
  return total;
}

TrainStep::TrainStep(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config,
                     Index updates_per_epoch)
    : model_(&model),
      config_(&config),
      updates_per_epoch_(updates_per_epoch),
      tapes_(model, optimizer, config.optimizer) {}

UpdateReport TrainStep::run(const TrainBatch& batch, Index update, double lr) {
  const Index shards = static_cast<Index>(batch.shards.size());
  losses_.clear();
  losses_.resize(batch.shards.size());
  CaptionLossOptions options =
      loss_options(config_->objective, config_->attention,
                   {.update = update, .updates_per_epoch = updates_per_epoch_});
  options.supervision = {.boxes = config_->supervision.boxes,
                         .localizer = config_->supervision.localizer.weight};
  const auto seed = static_cast<std::uint64_t>(config_->seed);
  const Index batch_captions = batch.captions();
  const std::vector<Index> first = first_of_shards(
      batch.shards, [](const TrainShard& shard) { return shard.captions.captions(); });

  const auto forward = [&](Index s) {
    const auto i = static_cast<std::size_t>(s);
    const TrainShard& shard = batch.shards[i];
    Tape& tape = tapes_.start(s, true);
    tape.set_random(seed, static_cast<std::uint64_t>(update), static_cast<std::uint64_t>(first[i]));
    const EncodedImages images = model_->encode(tape, shard.inputs.view());
    losses_[i] = std::make_unique<ShardLoss>(
        tape, model_->decoder(), images, shard.captions, options,
        ShardKey{.seed = seed,
                 .update = static_cast<std::uint64_t>(update),
                 .first_caption = first[i],
                 .batch_captions = batch_captions},
        nullptr,
        ShardTargets{
            .boxes = shard.targets, .localizer = model_->localizer(), .labels = &shard.labels});
  };
  const bool hard = draws_regions(options.selection);
  RewardBaseline moving;
  const auto backward = [&](Index s) { losses_[static_cast<std::size_t>(s)]->backward(moving); };
  if (hard && has_average(options.hard.baseline)) {
    // The averages need the costs of all shards before any of them goes backward.
    tapes_.for_each(shards, forward);
    moving = averages(options);
    tapes_.for_each(shards, backward);
  } else {
    // A shard runs to the end while its data is in the cache.
    tapes_.for_each(shards, [&](Index s) {
      forward(s);
      backward(s);
    });
    if (hard) moving = averages(options);  // reported, and kept for a run that goes on
  }
  UpdateReport result = report(batch, options, update);
  result.baseline = moving.all.value;
  result.grad_norm = tapes_.apply(update, lr);
  return result;
}

std::vector<TakenRegions> TrainStep::draws(const TrainBatch& batch) const {
  std::vector<TakenRegions> out;
  for (std::size_t s = 0; s < batch.shards.size(); ++s)
    for (TakenRegions& caption : taken_regions(*losses_[s], batch.shards[s]))
      out.push_back(std::move(caption));
  return out;
}

RewardBaseline TrainStep::averages(const CaptionLossOptions& options) {
  std::vector<const ShardLoss*> losses;
  for (const std::unique_ptr<ShardLoss>& loss : losses_) losses.push_back(loss.get());
  return batch_baseline(baseline_, options, losses);
}

UpdateReport TrainStep::report(const TrainBatch& batch, const CaptionLossOptions& options,
                               Index update) const {
  UpdateReport out;
  EstimatorSums estimator;
  double nll = 0, penalty = 0;
  std::map<std::string, std::pair<double, double>> supervised;  // the sum, and of how many
  const auto add = [&](const char* name, double sum, double words) {
    supervised[name].first += sum;
    supervised[name].second += words;
  };
  for (std::size_t s = 0; s < batch.shards.size(); ++s) {
    const ShardLoss& loss = *losses_[s];
    for (std::size_t c = 0; c < loss.nll().size(); ++c) {
      if (!std::isfinite(loss.nll()[c]) || !std::isfinite(loss.penalties()[c]))
        throw DivergedError(str("update ", update, ": the loss of image ", batch.shards[s].ids[c],
                                " is ", loss.nll()[c],
                                "; lower optimizer.lr or set optimizer.clip_norm"));
      nll += loss.nll()[c];
      const Index words = batch.shards[s].captions.length(static_cast<Index>(c));
      const double floor = penalty_floor(options.coverage, words, loss.regions()[c]);
      penalty += options.doubly_stochastic > 0 ? loss.penalties()[c] - floor : 0;
      out.loss += loss.nll()[c] + options.doubly_stochastic * loss.penalties()[c];
      out.words += words;
      ++out.captions;
    }
    const ShardSupervision& supervision = loss.supervision();
    if (const auto& one = supervision.boxes())
      add("box_cost", one->cost(), static_cast<double>(one->words()));
    if (const auto& one = supervision.localized()) {
      add("localizer_divergence", one->cost(), one->words());
      add("localizer_nll", supervision.localizer_cost(),
          static_cast<double>(supervision.localized_images()));
    }
    if (draws_regions(options.selection)) estimator.add(loss);
  }
  const auto captions = static_cast<double>(out.captions);
  out.loss /= captions;
  out.penalty = penalty / captions;
  for (const auto& [name, sum] : supervised)
    if (sum.second > 0) out.supervision[name] = sum.first / sum.second;
  out.nll_per_word = nll / static_cast<double>(out.words);
  if (draws_regions(options.selection)) out.estimator = estimator.statistics();
  return out;
}

}  // namespace saccade
