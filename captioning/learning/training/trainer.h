// The training loop: epochs of prefetched batches in two stages, validation by free-running
// decoding, early stopping, and checkpoints from which a run goes on as if it had never stopped.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "captioning/learning/training/attention_targets.h"
#include "captioning/learning/training/self_critical_step.h"
#include "captioning/learning/training/stages.h"
#include "captioning/learning/training/training_set.h"

namespace saccade {

struct ExperimentConfig;

// Everything, besides parameters and optimizer moments, that decides how training goes on.
struct TrainingState {
  Index update = 0;            // updates done
  Index epoch = 0;             // the epoch that is running
  Index batch = 0;             // batches of that epoch that are done
  double seconds = 0;          // time spent on training, over all resumptions
  double last_validation = 0;  // update and seconds at which each was last done
  double last_validation_seconds = 0;
  double last_checkpoint = 0;
  double last_checkpoint_seconds = 0;
  RewardBaseline baseline;
  EstimatorMeans estimator;  // of hard attention, since the last validation
  // The best value so far of every validation metric that judges (metric_registry.h).
  std::map<std::string, double> best;
  Index validations_without_gain = 0;  // of train.early_stop.metric
  bool finished = false;
};

using Metrics = std::map<std::string, double>;

// What a run reports while it trains. The run directory, the progress bar and tests listen.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  struct Update {
    const UpdateReport* report;
    const TrainingState* state;
    double lr = 0;
    double seconds = 0;  // of this update, with its batch
    Index batches = 0;   // per epoch
    double done = 0;     // share of the whole run, 0..1
  };
  // Whether reports of updates have what hard attention took (UpdateReport::draws). Updates of
  // self-critical training have none.
  virtual bool wants_draws() const { return false; }
  virtual void on_update(const Update&) {}
  virtual void on_validation(const Metrics&, const TrainingState&) {}
  virtual void on_checkpoint(const std::filesystem::path&, const TrainingState&) {}
};

enum class StopReason { kFinished, kEarlyStop, kSignal };

class Trainer {
 public:
  struct Setup {
    const ExperimentConfig* config;
    const TrainingSet* set;
    const DatasetInputs* inputs;
    // The attention targets of words; null where the config has no box supervision.
    const AttentionTargets* targets = nullptr;
    CaptionModel* model;
    TrainObserver* observer;
    // Computes free-running scores of the model on the validation images. With optimizer.ema, the
    // model then has the averages of its weights.
    std::function<Metrics(const CaptionModel&)> validate;
    // Writes a checkpoint of the run: model, optimizer, state. Returns its path. Over ranks, only
    // the first one is to write; all get the path.
    std::function<std::filesystem::path(const Optimizer&, const TrainingState&)> save;
    // Called after a validation with a metric whose value is the best so far, and with the
    // checkpoint that has it.
    std::function<void(const std::string& metric, const std::filesystem::path&)> mark_best;
    OwnReward reward{};  // of self-critical training
  };
  // Throws UsageError where the config chooses by what is no metric to choose by
  // (choosing_metric.h).
  // Over ranks (parallel::OverRanks), each rank has a trainer, and they train together. Their
  // number divides that of the gradient groups. A resumed run may have another number of ranks.
  explicit Trainer(const Setup& setup);

  Optimizer& optimizer() { return *optimizer_; }
  TrainingState& state() { return state_; }
  // Checks that training can go on from a state that was read from `source`: the place in the data
  // must lie in its epoch. Throws CheckpointError.
  void check(const TrainingState& state, const std::string& source) const;

  // Trains until train.stop, an early stop, or *signal becoming non-zero on any rank; then saves.
  StopReason run(const std::atomic<int>* signal = nullptr);
  // The signal at which run() stopped; 0: none.
  int signal() const { return signal_; }

 private:
  std::vector<Batch> plan(Index update, Index epoch) const;
  void enter_stage();
  UpdateReport step(const TrainBatch& batch, double lr);
  bool due(const Stop& every, double last_update, double last_seconds) const;
  bool reached(const Stop& stop) const;
  double share_done() const;
  bool train_epoch(const std::atomic<int>* signal);  // false: stopped inside
  // What ranks have to agree upon after an update that took so long here: the time and the signal.
  void agree(double seconds, const std::atomic<int>* signal);
  void validate();
  std::filesystem::path save();
  bool early_stop() const;

  Setup setup_;
  const ExperimentConfig& config_;
  std::unique_ptr<Optimizer> optimizer_;
  Stages stages_;
  // The step of the stage that is running. The memory of the other stage's step is not held.
  std::optional<TrainStep> cross_entropy_;
  std::optional<SelfCriticalStep> self_critical_;
  TrainingState state_;
  int signal_ = 0;
  std::filesystem::path last_saved_;
  Index last_saved_update_ = -1;
};

}  // namespace saccade
