#include "captioning/training/train_step.h"

#include <cmath>

#include "core/parallel/parallel.h"

namespace saccade {

Index TrainBatch::captions() const {
  Index total = 0;
  for (const TrainShard& shard : shards) total += shard.captions.captions();
  return total;
}

double apply_gradients(GradientStep& step, std::span<Tape* const> tapes, Index update, double lr) {
  try {
    return step.apply(tapes, lr).grad_norm;
  } catch (const DivergedError& error) {
    throw DivergedError(str("update ", update, ": ", error.what()));
  }
}

TrainStep::TrainStep(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config,
                     Index updates_per_epoch)
    : model_(&model),
      config_(&config),
      updates_per_epoch_(updates_per_epoch),
      gradient_step_(model.parameters(), optimizer,
                     {.norm = config.optimizer.clip_norm, .value = config.optimizer.clip_value}) {}

UpdateReport TrainStep::run(const TrainBatch& batch, Index update, double lr) {
  const Index shards = static_cast<Index>(batch.shards.size());
  while (static_cast<Index>(workers_.size()) < shards)
    workers_.push_back(std::make_unique<Worker>());
  const CaptionLossOptions options =
      loss_options(config_->objective, config_->attention,
                   {.update = update, .updates_per_epoch = updates_per_epoch_});
  const auto seed = static_cast<std::uint64_t>(config_->seed);
  const Index batch_captions = batch.captions();
  std::vector<Index> first(batch.shards.size(), 0);
  for (std::size_t s = 1; s < first.size(); ++s)
    first[s] = first[s - 1] + batch.shards[s - 1].captions.captions();

  const auto forward = [&](Index s) {
    const auto i = static_cast<std::size_t>(s);
    Worker& worker = *workers_[i];
    const TrainShard& shard = batch.shards[i];
    worker.loss.reset();
    worker.tape.reset();
    worker.tape.set_parameters(model_->parameters().views(), model_->parameters().trained());
    worker.tape.set_training(true);
    worker.tape.set_random(seed, static_cast<std::uint64_t>(update),
                           static_cast<std::uint64_t>(first[i]));
    const EncodedImages images = model_->encode(worker.tape, shard.inputs.view());
    worker.loss =
        std::make_unique<ShardLoss>(worker.tape, model_->decoder(), images, shard.captions, options,
                                    ShardKey{.seed = seed,
                                             .update = static_cast<std::uint64_t>(update),
                                             .first_caption = first[i],
                                             .batch_captions = batch_captions},
                                    nullptr,
                                    ShardTargets{.boxes = shard.targets,
                                                 .localizer = model_->localizer(),
                                                 .labels = &shard.labels,
                                                 .informed = model_->informed_attention()});
  };
  // Only moving averages need the costs of all shards before any of them goes backward. Without
  // averages, a shard runs to the end while its data is in the cache.
  RewardBaseline moving;
  if (options.selection == SelectionKind::kHard) {
    parallel::for_each(shards, forward);
    std::vector<const ShardLoss*> losses;
    for (Index s = 0; s < shards; ++s)
      losses.push_back(workers_[static_cast<std::size_t>(s)]->loss.get());
    moving = batch_baseline(baseline_, options, losses);
    parallel::for_each(
        shards, [&](Index s) { workers_[static_cast<std::size_t>(s)]->loss->backward(moving); });
  } else {
    parallel::for_each(shards, [&](Index s) {
      forward(s);
      workers_[static_cast<std::size_t>(s)]->loss->backward(moving);
    });
  }
  UpdateReport result = report(batch, options, update);
  result.baseline = moving.all.value;
  std::vector<Tape*> tapes;
  for (Index s = 0; s < shards; ++s) tapes.push_back(&workers_[static_cast<std::size_t>(s)]->tape);
  result.grad_norm = apply_gradients(gradient_step_, tapes, update, lr);
  return result;
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
    const ShardLoss& loss = *workers_[s]->loss;
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
    if (const auto& one = supervision.localized())
      add("localizer_divergence", one->cost(), one->words());
    if (const auto& one = supervision.prophet()) {
      add("prophet_distance", one->distance(), static_cast<double>(one->maps()));
      add("prophet_nll", one->cost(), static_cast<double>(one->words()));
    }
    if (const auto& one = supervision.cyclical())
      add("cyclical_nll", one->cost(), static_cast<double>(one->words()));
    if (options.selection == SelectionKind::kHard) estimator.add(loss);
  }
  const auto captions = static_cast<double>(out.captions);
  out.loss /= captions;
  out.penalty = penalty / captions;
  for (const auto& [name, sum] : supervised)
    if (sum.second > 0) out.supervision[name] = sum.first / sum.second;
  out.nll_per_word = nll / static_cast<double>(out.words);
  if (options.selection == SelectionKind::kHard) out.estimator = estimator.statistics();
  return out;
}

}  // namespace saccade
