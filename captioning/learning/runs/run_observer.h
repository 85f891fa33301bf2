// What a training run reports beside its updates, validations and checkpoints.
#pragma once

#include <optional>

#include "captioning/learning/training/run_data.h"
#include "captioning/learning/training/trainer.h"
#include "captioning/study/evaluation/evaluate.h"

namespace saccade {

struct ExperimentConfig;

// The checkpoint from which a run took its first weights.
struct WeightsOrigin {
  std::string file;
  Index update = 0;
  std::string digest;  // of the content of the file
};

// How a run begins.
struct RunStart {
  const ExperimentConfig* config = nullptr;
  const RunData* data = nullptr;
  const CaptionModel* model = nullptr;
  std::filesystem::path directory;
  std::string meteor_tables{};            // Meteor::tables(), of validations
  std::optional<Index> resumed_update{};  // the run continues after it
  std::filesystem::path checkpoint{};     // from which it continues
  bool finished = false;                  // it is finished already: nothing is left to do
  bool restarted = false;                 // a resumed run had no checkpoint yet
  std::optional<WeightsOrigin> weights{};
  std::vector<std::string> warnings{};  // captions that are too long, and the like
};

struct TrainingResult {
  StopReason reason{};
  int signal = 0;  // at which it was stopped, by the number of the caller's `stop`
  TrainingState state;
  Index parameters = 0;  // the count of trainable numbers
  std::filesystem::path last, best;
};

// Listens to a run. Whatever a function throws ends the run.
class RunObserver : public TrainObserver {
 public:
  virtual void on_message(Severity, const std::string& /*text*/) {}
  // While a validation goes on: as WorkProgress.
  virtual void on_work(const char* /*work*/, Index /*done*/, Index /*total*/) {}
  // Once, when the model is ready, before the first update.
  virtual void on_start(const RunStart&) {}
  // The captions of a validation, before on_validation() gives its numbers.
  virtual void on_captions(const RunStart&, const CaptionModel&, const EvaluationReport&,
                           Index /*update*/) {}
  // Once, when a run is stopped or nothing is left to do: also where it was finished already.
  virtual void on_end(const TrainingResult&) {}
  // Before DivergedError is thrown.
  virtual void on_diverged(const std::string& /*what*/) {}
};

}  // namespace saccade
