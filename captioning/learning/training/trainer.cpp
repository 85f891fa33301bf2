#include "captioning/learning/training/trainer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/choosing_metric.h"
#include "captioning/learning/training/word_labels.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {

namespace {

// While it lives, the model has the averages of its weights, where weights are averaged.
class ShownAverage {
 public:
  explicit ShownAverage(WeightAverage* average) : average_(average) {
    if (average_) average_->swap();
  }
  ~ShownAverage() {
    if (average_) average_->swap();
  }
  ShownAverage(const ShownAverage&) = delete;
  ShownAverage& operator=(const ShownAverage&) = delete;

 private:
  WeightAverage* average_;
};

}  // namespace

Trainer::Trainer(const Setup& setup)
    : setup_(setup),
      config_(*setup.config),
      optimizer_(make_optimizer(config_.optimizer, setup.model->parameters())),
      stages_(stages_of(config_, setup.set->items(), setup.set->shares())) {
  check_choosing_metrics(config_.train);
}

std::vector<Batch> Trainer::plan(Index update, Index epoch) const {
  return plan_epoch(setup_.set->items(),
                    batch_plan(config_, setup_.set->shares(), stages_.self_critical(update)),
                    epoch);
}

void Trainer::check(const TrainingState& state, const std::string& source) const {
  if (state.batch == 0) return;
  const auto batches = static_cast<Index>(plan(state.update, state.epoch).size());
  if (state.batch >= batches)
    throw CheckpointError(str(source, ": ", state.batch, " batches of epoch ", state.epoch + 1,
                              " are done, but an epoch has ", batches,
                              "; use another checkpoint of the run"));
}

// Whether `every` has passed since the given update and time. An epoch counts as the number of its
// batches in the stage of the last update.
bool Trainer::due(const Stop& every, double last_update, double last_seconds) const {
  if (every.is_time()) return state_.seconds - last_seconds >= static_cast<double>(every.seconds());
  const Index batches = stages_.batches(std::max<Index>(state_.update - 1, 0));
  const Index updates = every.unit == Stop::Unit::kEpochs ? every.count * batches : every.count;
  return static_cast<double>(state_.update) - last_update >= static_cast<double>(updates);
}

bool Trainer::reached(const Stop& stop) const {
  if (stop.is_time()) return state_.seconds >= static_cast<double>(stop.seconds());
  return state_.update >= stages_.updates(stop);
}

double Trainer::share_done() const {
  const Stop& stop = config_.train.stop;
  if (stop.is_time()) return std::min(1.0, state_.seconds / static_cast<double>(stop.seconds()));
  const auto total = static_cast<double>(stages_.updates(stop));
  return std::min(1.0, static_cast<double>(state_.update) / total);
}

bool Trainer::early_stop() const {
  const Index patience = config_.train.early_stop.patience;
  return patience > 0 && state_.validations_without_gain >= patience;
}

StopReason Trainer::run(const std::atomic<int>* signal) {
  // Weights that describe photos already may be better than all that training makes of them.
  if (state_.update == 0 && state_.best.empty() && !config_.train.init_from.empty()) validate();
  while (!state_.finished) {
    if (reached(config_.train.stop)) break;
    if (!train_epoch(signal)) {
      if (signal_ != 0) {
        if (last_saved_update_ != state_.update) save();
        return StopReason::kSignal;
      }
      break;
    }
  }
  const StopReason reason = early_stop() ? StopReason::kEarlyStop : StopReason::kFinished;
  if (state_.finished) return reason;
  state_.finished = true;
  if (static_cast<double>(state_.update) > state_.last_validation) {
    validate();
  } else {
    save();
  }
  return reason;
}

// Makes the step for the stage of the next update. The second stage starts with a new optimizer,
// because its loss has another scale and other directions than what the moments remember. Where
// weights are averaged, it continues from their average, which is the policy that was validated,
// and starts a new average.
void Trainer::enter_stage() {
  const bool second = stages_.self_critical(state_.update);
  if (state_.update == stages_.switch_update()) {
    if (WeightAverage* average = optimizer_->average()) average->swap();
    optimizer_->start_anew();
    state_.validations_without_gain = 0;
  }
  if (second && !self_critical_) {
    cross_entropy_.reset();
    self_critical_.emplace(
        *setup_.model, *optimizer_, config_,
        setup_.set->rewards(setup_.model->vocabulary(), config_.objective.self_critical.reward,
                            setup_.reward));
  } else if (!second && !cross_entropy_) {
    cross_entropy_.emplace(*setup_.model, *optimizer_, config_, stages_.batches(state_.update));
    cross_entropy_->reward_baseline() = state_.baseline;
  }
}

UpdateReport Trainer::step(const TrainBatch& batch, double lr) {
  if (self_critical_) return self_critical_->run(batch, state_.update, lr);
  UpdateReport report = cross_entropy_->run(batch, state_.update, lr);
  if (setup_.observer->wants_draws()) report.draws = cross_entropy_->draws(batch);
  state_.baseline = cross_entropy_->reward_baseline();
  return report;
}

bool Trainer::train_epoch(const std::atomic<int>* signal) {
  enter_stage();
  const std::vector<Batch> batches = plan(state_.update, state_.epoch);
  const Index first = state_.batch;
  Index left = static_cast<Index>(batches.size()) - first;
  // An epoch of the first stage ends where the second begins.
  if (cross_entropy_) left = std::min(left, stages_.switch_update() - state_.update);
  const Index ranks = parallel::ranks() ? parallel::ranks()->count() : 1;
  const Index rank = parallel::ranks() ? parallel::ranks()->rank() : 0;
  parallel::Prefetcher<TrainBatch> loader(left, config_.train.prefetch, [&](Index i) {
    const Batch& planned = batches[static_cast<std::size_t>(first + i)];
    const auto own = parallel::shards_of(rank, ranks, static_cast<Index>(planned.shards.size()));
    TrainBatch batch = make_batch(planned, *setup_.set, *setup_.inputs,
                                  static_cast<std::uint64_t>(config_.seed), state_.epoch, own);
    // The second stage has no loss on maps, and its shards are of images.
    if (setup_.model->localizer() && cross_entropy_) add_word_labels(*setup_.set, planned, batch);
    if (setup_.targets && cross_entropy_)
      for (std::size_t s = 0; s < batch.shards.size(); ++s)
        setup_.targets->add(planned.shards[static_cast<std::size_t>(own.begin) + s],
                            batch.shards[s]);
    return batch;
  });
  while (!loader.done()) {
    const double start = clock_seconds();
    const TrainBatch batch = loader.next();
    const double lr = stages_.rate(state_.update);
    const UpdateReport report = step(batch, lr);
    const double seconds = clock_seconds() - start;
    ++state_.update;
    ++state_.batch;
    agree(seconds, signal);
    if (report.estimator) state_.estimator.add(*report.estimator);
    const bool epoch_ends = loader.done();
    if (epoch_ends) state_.batch = 0;
    setup_.observer->on_update({.report = &report,
                                .state = &state_,
                                .lr = lr,
                                .seconds = seconds,
                                .batches = static_cast<Index>(batches.size()),
                                .done = share_done()});
    if (epoch_ends) ++state_.epoch;
    if (due(config_.train.validate_every, state_.last_validation, state_.last_validation_seconds)) {
      validate();
    } else if (due(config_.train.checkpoint_every, state_.last_checkpoint,
                   state_.last_checkpoint_seconds)) {
      save();
    }
    // One process has nobody to agree with, and stops behind the update whose report asked for it.
    if (signal && signal_ == 0 && !parallel::ranks()) signal_ = *signal;
    if (signal_ != 0) return false;
    if (early_stop() || reached(config_.train.stop)) return false;
  }
  return true;
}

void Trainer::agree(double seconds, const std::atomic<int>* signal) {
  const std::vector<double> all =
      parallel::join_numbers({seconds, static_cast<double>(signal ? signal->load() : 0)});
  state_.seconds += all[0];
  for (std::size_t i = 1; i < all.size() && signal_ == 0; i += 2)
    signal_ = static_cast<int>(all[i]);
}

void Trainer::validate() {
  state_.last_validation = static_cast<double>(state_.update);
  state_.last_validation_seconds = state_.seconds;
  const Metrics metrics = [&] {
    const ShownAverage shown(optimizer_->average());
    return setup_.validate(*setup_.model);
  }();
  std::vector<std::string> improved;
  for (const auto& [name, value] : metrics) {
    const MetricInfo* known = find_metric(name);
    if (known == nullptr || known->better == Better::kNeither) continue;  // it has no best value
    const auto best = state_.best.find(name);
    if (best == state_.best.end() || is_better(name, value, best->second)) {
      state_.best[name] = value;
      improved.push_back(name);
    }
  }
  const auto is_improved = [&](const std::string& name) {
    return std::find(improved.begin(), improved.end(), name) != improved.end();
  };
  for (const std::string& name : {config_.train.early_stop.metric, config_.train.best_metric})
    if (!metrics.contains(name)) {
      std::string known;
      for (const auto& [key, value] : metrics) known += (known.empty() ? "" : ", ") + key;
      throw UsageError("validations of this run do not measure " + name + "; they measure " +
                       known);
    }
  state_.validations_without_gain =
      is_improved(config_.train.early_stop.metric) ? 0 : state_.validations_without_gain + 1;
  if (early_stop()) state_.finished = true;
  setup_.observer->on_validation(metrics, state_);
  state_.estimator = {};
  const std::filesystem::path path = save();
  if (is_improved(config_.train.best_metric)) setup_.mark_best(config_.train.best_metric, path);
}

std::filesystem::path Trainer::save() {
  state_.last_checkpoint = static_cast<double>(state_.update);
  state_.last_checkpoint_seconds = state_.seconds;
  if (self_critical_) self_critical_->gather_moments();
  if (cross_entropy_) cross_entropy_->gather_moments();
  last_saved_ = setup_.save(*optimizer_, state_);
  last_saved_update_ = state_.update;
  setup_.observer->on_checkpoint(last_saved_, state_);
  return last_saved_;
}

}  // namespace saccade
