#include "captioning/learning/train_captioner.h"

#include <tuple>

#include "captioning/data/given_data.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/training_run.h"
#include "captioning/learning/runs/use_precision.h"
#include "core/attention/attention_registry.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

std::filesystem::path folder_of_data(const TrainingOptions& options) {
  return std::filesystem::absolute(options.directory) / "data";
}

// The config of a run whose data the program hands over.
void use_given_data(LoadedConfig& loaded, const TrainingOptions& options) {
  DataConfig& data = loaded.config.data;
  const std::string folder = folder_of_data(options).string();
  for (const char* key : {"data.type", "data.annotations", "data.images"}) {
    const bool own = data.type == DataKind::kFolder && data.images == folder;  // of this run
    if (loaded.origins.layer(key) > 0 && !own)
      throw UsageError(str(loaded.origins.of(key), ": ", key,
                           " names data, and the program hands over its own; leave one of the two "
                           "out"));
  }
  data.type = DataKind::kFolder;
  data.images = folder;
}

// The config of a run whose rewards the program computes: metrics count where it weighs them.
void use_own_reward(LoadedConfig& loaded) {
  if (!loaded.config.objective.self_critical.start)
    throw UsageError(
        "the reward has no effect, because captions are never rewarded; set "
        "objective.self_critical.start");
  RewardConfig& reward = loaded.config.objective.self_critical.reward;
  const std::string section = "objective.self_critical.reward.";
  for (const auto& [key, weight, unsaid] :
       {std::tuple("CIDEr_D", &reward.cider_d, 0.0), std::tuple("CIDEr", &reward.cider, 0.0),
        std::tuple("Bleu_4", &reward.bleu_4, 0.0), std::tuple("own", &reward.own, 1.0)})
    if (loaded.origins.layer(section + key) == 0) *weight = unsaid;
  if (reward.own == 0)
    throw UsageError(section + "own is 0, and the reward has no effect; give it a weight");
}

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
  if (options.data) use_given_data(loaded, options);
  if (options.reward) use_own_reward(loaded);
  settle_alone(loaded, options.resume);
  check_config(loaded.config);
  return loaded.config;
}

// Keeps the data that the program hands over, and removes them again where no run came of them.
class KeptData {
 public:
  KeptData(const TrainingOptions& options, const RunDirectory& directory)
      : folder_(folder_of_data(options)), directory_(&directory) {
    std::error_code error;
    made_ = options.data && !std::filesystem::exists(folder_, error);
    if (options.data) keep_examples(options.data, folder_);
  }
  ~KeptData() {
    std::error_code error;
    if (made_ && !std::filesystem::exists(directory_->path() / "config.yaml", error))
      std::filesystem::remove_all(folder_, error);
  }
  KeptData(const KeptData&) = delete;
  KeptData& operator=(const KeptData&) = delete;

 private:
  std::filesystem::path folder_;
  const RunDirectory* directory_;
  bool made_ = false;
};

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
  const KeptData kept(options, directory);
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
                                                         .listener = options.listener},
                                              .reward = options.reward});
  return {.updates = result.state.update,
          .stopped = result.reason == StopReason::kSignal,
          .best = result.state.best,
          .last = result.last,
          .checkpoint = result.best.empty() ? result.last : result.best};
}

}  // namespace saccade
