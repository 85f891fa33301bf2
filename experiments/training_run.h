// A training run from a config into a directory: what `train` and `compare` share.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "captioning/grounding/noun_boxes.h"
#include "captioning/inputs.h"
#include "captioning/training/trainer.h"
#include "experiments/run_directory.h"
#include "experiments/run_reporter.h"
#include "experiments/stop_signal.h"

namespace saccade {

// Images, captions and words of a run; runs whose configs ask for the same may share them.
class RunData {
 public:
  // Whose inputs a run needs besides the training images'.
  struct Request {
    std::vector<Split> splits;     // besides train
    Index most_images = 0;         // of Split::kVal
    bool evaluated_split = false;  // and all of LoadedData::default_split()
  };
  // Loads the data of a config and these inputs, with progress on stderr. Throws what load_data and
  // DatasetInputs throw, DataError where a split is empty, and Stopped.
  RunData(const ExperimentConfig& config, const Request& request, const StopSignal& signal);

  // Whether a run of this config has the same data and inputs.
  bool serves(const ExperimentConfig& config) const;

  const LoadedData& loaded() const { return *loaded_; }
  const InputPipeline& pipeline() const { return *pipeline_; }
  const DatasetInputs& inputs() const { return *inputs_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // Of the photos besides the training images', where data.boxes knows some; else null.
  const PhotoBoxes* boxes() const { return boxes_.get(); }

 private:
  ExperimentConfig config_;
  std::unique_ptr<LoadedData> loaded_;  // DatasetInputs points to it
  std::unique_ptr<InputPipeline> pipeline_;
  std::unique_ptr<DatasetInputs> inputs_;
  Vocabulary vocabulary_;
  std::unique_ptr<PhotoBoxes> boxes_;
};

// Whether runs of these configs have the same data and inputs.
bool same_data(const ExperimentConfig& a, const ExperimentConfig& b);

struct TrainingRequest {
  const ExperimentConfig* config = nullptr;
  const RunData* data = nullptr;
  RunDirectory* directory = nullptr;
  bool resume = false;  // go on from the newest checkpoint, if there is one
  Split validation = Split::kVal;
  std::string label;  // of progress lines
  // Warnings that were shown, and are not shown again; the log of the run has them all. May be
  // null.
  std::set<std::string>* warned = nullptr;
};

struct TrainingResult {
  StopReason reason = StopReason::kFinished;
  TrainingState state;
  Telemetry telemetry;
  Index parameters = 0;  // trainable numbers
  std::filesystem::path last, best;
};

// Trains a captioner into a run directory, which the caller holds. Throws DivergedError naming the
// last good checkpoint, CheckpointError when a resumed run's config, data or vocabulary changed,
// IoError, UsageError on metrics that do not exist, DataError when nothing can be validated.
TrainingResult run_training(const TrainingRequest& request, const StopSignal& signal);

}  // namespace saccade
