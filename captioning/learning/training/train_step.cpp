#include "captioning/learning/training/train_step.h"

#include <cmath>

#include "captioning/learning/config/experiment_config.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {

Index TrainBatch::captions() const {
  Index total = captions_elsewhere;
  for (const TrainShard& shard : shards) total += shard.captions.captions();
  return total;
}

TrainStep::TrainStep(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config,
                     Index updates_per_epoch)
    : model_(&model),
      config_(&config),
      updates_per_epoch_(updates_per_epoch),
      tapes_(model, optimizer, config) {}

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
  const std::vector<Index> first =
      first_of_shards(batch.shards, batch.captions_before,
                      [](const TrainShard& shard) { return shard.captions.captions(); });

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
  result.grad_norm = tapes_.apply(update, lr, batch.all_shards());
  return result;
}

namespace {

// The captions of a shard, in its order; none where regions are summed over instead of drawn. With
// several samples per caption (leave_one_out), it stands there once for each of them.
std::vector<TakenRegions> taken_regions(const ShardLoss& loss, const TrainShard& shard) {
  if (loss.output().draws.empty()) return {};
  const PackedCaptions& rows = loss.rows();
  const auto samples = static_cast<std::size_t>(rows.captions() / loss.captions());
  std::vector<TakenRegions> out(static_cast<std::size_t>(rows.captions()));
  for (std::size_t r = 0; r < out.size(); ++r) out[r].image = shard.ids[r / samples];
  std::size_t n = 0;
  for (std::size_t t = 0; t < rows.rows.size(); ++t)
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows.rows[t]); ++r, ++n) {
      out[r].words.push_back(rows.targets[n]);
      std::vector<int>& regions = out[r].regions.emplace_back();
      for (const RegionDraws& draw : loss.output().draws[t]) regions.push_back(draw.chosen[r]);
    }
  return out;
}

}  // namespace

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

namespace {

// The sums of a report, in the order of their numbers. Those of the estimator follow.
enum Figure : std::size_t {
  kNll,
  kPenalty,
  kLoss,
  kWords,
  kCaptions,
  kBoxCost,
  kBoxWords,
  kDivergence,
  kLocatedWords,
  kLocalizerNll,
  kLocatedImages,
  kFigures
};

}  // namespace

std::vector<double> TrainStep::figures_of(std::size_t shard, const TrainBatch& batch,
                                          const CaptionLossOptions& options, Index update,
                                          std::string& error) const {
  const ShardLoss& loss = *losses_[shard];
  std::vector<double> out(kFigures);
  for (std::size_t c = 0; c < loss.nll().size(); ++c) {
    if (error.empty() && (!std::isfinite(loss.nll()[c]) || !std::isfinite(loss.penalties()[c])))
      error = str("update ", update, ": the loss of image ", batch.shards[shard].ids[c], " is ",
                  loss.nll()[c], "; lower optimizer.lr or set optimizer.clip_norm");
    out[kNll] += loss.nll()[c];
    const Index words = batch.shards[shard].captions.length(static_cast<Index>(c));
    const double floor = penalty_floor(options.coverage, words, loss.regions()[c]);
    out[kPenalty] += options.doubly_stochastic > 0 ? loss.penalties()[c] - floor : 0;
    out[kLoss] += loss.nll()[c] + options.doubly_stochastic * loss.penalties()[c];
    out[kWords] += static_cast<double>(words);
    out[kCaptions] += 1;
  }
  const ShardSupervision& supervision = loss.supervision();
  if (const auto& one = supervision.boxes()) {
    out[kBoxCost] = one->cost();
    out[kBoxWords] = static_cast<double>(one->words());
  }
  if (const auto& one = supervision.localized()) {
    out[kDivergence] = one->cost();
    out[kLocatedWords] = one->words();
    out[kLocalizerNll] = supervision.localizer_cost();
    out[kLocatedImages] = static_cast<double>(supervision.localized_images());
  }
  if (draws_regions(options.selection)) {
    EstimatorSums estimator;
    estimator.add(loss);
    const std::vector<double> more = estimator.figures();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

UpdateReport TrainStep::report(const TrainBatch& batch, const CaptionLossOptions& options,
                               Index update) const {
  std::string error;
  std::vector<std::vector<double>> of_shards;
  for (std::size_t s = 0; s < batch.shards.size(); ++s)
    of_shards.push_back(figures_of(s, batch, options, update, error));
  const std::vector<double> sum = parallel::add_up(of_shards, error);

  UpdateReport out;
  out.captions = static_cast<Index>(sum[kCaptions]);
  out.words = static_cast<Index>(sum[kWords]);
  out.loss = sum[kLoss] / sum[kCaptions];
  out.penalty = sum[kPenalty] / sum[kCaptions];
  out.nll_per_word = sum[kNll] / sum[kWords];
  const auto supervised = [&](const char* name, Figure cost, Figure count) {
    if (sum[count] > 0) out.supervision[name] = sum[cost] / sum[count];
  };
  supervised("box_cost", kBoxCost, kBoxWords);
  supervised("localizer_divergence", kDivergence, kLocatedWords);
  supervised("localizer_nll", kLocalizerNll, kLocatedImages);
  if (draws_regions(options.selection))
    out.estimator = EstimatorSums(std::span(sum).subspan(kFigures)).statistics();
  return out;
}

}  // namespace saccade
