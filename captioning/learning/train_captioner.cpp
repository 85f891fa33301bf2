#include "captioning/learning/train_captioner.h"

#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/training_run.h"
#include "captioning/learning/runs/use_precision.h"
#include "core/attention/attention_registry.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

ExperimentConfig config_of(const TrainingOptions& options) {
  if (options.config.empty() == options.yaml.empty())
    throw UsageError("training needs the file of an experiment or its text; give one of the two");
  if (options.directory.empty())
    throw UsageError("training needs a directory for the run; name one");
  ExperimentConfig start;
  start.attention.registry = options.attention;
  const std::string overrider = "TrainingOptions::set";
  LoadedConfig loaded =
      options.yaml.empty()
          ? load_config(options.config, options.set, start, overrider)
          : parse_config(options.yaml, "TrainingOptions::yaml", options.set, start, overrider);
  settle_alone(loaded, options.resume);
  check_config(loaded.config);
  return loaded.config;
}

// Hands a run's reports to the functions of the options.
class Caller : public RunObserver {
 public:
  explicit Caller(const TrainingOptions& options) : options_(&options) {}
  // Not 0 once on_update asked to stop.
  const std::atomic<int>& stop() const { return stop_; }

  void on_message(Severity severity, const std::string& text) override {
    if (options_->listener) options_->listener(severity, text);
  }
  void on_update(const Update& update) override {
    if (!options_->on_update) return;
    const bool go_on = options_->on_update({.update = update.state->update,
                                            .epoch = update.state->epoch,
                                            .loss = update.report->loss,
                                            .nll_per_word = update.report->nll_per_word,
                                            .gradient_norm = update.report->grad_norm,
                                            .learning_rate = update.lr,
                                            .seconds = update.seconds,
                                            .done = update.done});
    if (!go_on) stop_ = 1;
  }
  void on_validation(const Metrics& metrics, const TrainingState& state) override {
    if (options_->on_validation) options_->on_validation(state.update, metrics);
  }

 private:
  const TrainingOptions* options_;
  std::atomic<int> stop_{0};
};

}  // namespace

TrainedCaptioner train_captioner(const TrainingOptions& options) {
  ExperimentConfig config = config_of(options);
  const parallel::ThreadPool threads(options.threads > 0 ? options.threads
                                                         : static_cast<int>(config.threads));
  const parallel::WorkOn here(threads);
  RunDirectory directory(options.directory,
                         options.resume ? RunDirectory::Mode::kResume : RunDirectory::Mode::kNew,
                         options.listener);
  use_precision(config, directory.path(), options.listener);
  take_first_parts(config, directory.path(), options.models, options.listener);
  const RunData data(
      config,
      {.splits = {Split::kVal}, .most_images = config.train.validate_images, .checks_stages = true},
      options.listener);
  Caller caller(options);
  const TrainingResult result = run_training({.config = &config,
                                              .data = &data,
                                              .directory = &directory,
                                              .observer = &caller,
                                              .resume = options.resume,
                                              .stop = &caller.stop(),
                                              .models = options.models,
                                              .meteor = {.paraphrases = options.paraphrases,
                                                         .cache = options.cache,
                                                         .listener = options.listener}});
  return {.updates = result.state.update,
          .stopped = result.reason == StopReason::kSignal,
          .best = result.state.best,
          .last = result.last,
          .checkpoint = result.best.empty() ? result.last : result.best};
}

}  // namespace saccade
