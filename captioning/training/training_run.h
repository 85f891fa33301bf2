// Trains a run from a config into a directory; shared by `train` and `compare`.
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

// The images, captions and vocabulary of a run. Runs whose configs ask for the same data may share
// one object.
class RunData {
 public:
  // Which images a run needs besides the training images.
  struct Request {
    std::vector<Split> splits;     // the images of these splits
    Index most_images = 0;         // of Split::kVal, at most so many; 0 for all
    bool evaluated_split = false;  // also all images of LoadedData::default_split()
  };
  // Loads the data of a config and the inputs of the request, with progress on stderr. Throws what
  // load_data and DatasetInputs throw, DataError where a split is empty, and Stopped.
  RunData(const ExperimentConfig& config, const Request& request, const StopSignal& signal);

  // Whether a run of this config would have the same data and inputs.
  bool serves(const ExperimentConfig& config) const;

  const LoadedData& loaded() const { return *loaded_; }
  const InputPipeline& pipeline() const { return *pipeline_; }
  const DatasetInputs& inputs() const { return *inputs_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // The boxes of the request's images, where data.boxes knows some; else null.
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
  bool resume = false;  // continue from the newest checkpoint, if there is one
  Split validation = Split::kVal;
  std::string label;  // the beginning of progress lines
  // The warnings that were shown already and are not shown again; the log of the run has all of
  // them. May be null.
  std::set<std::string>* warned = nullptr;
};

struct TrainingResult {
  StopReason reason = StopReason::kFinished;
  TrainingState state;
  Telemetry telemetry;
  Index parameters = 0;  // the count of trainable numbers
  std::filesystem::path last, best;
};

// Trains a captioner into a run directory whose lock the caller holds. Throws DivergedError, which
// names the last good checkpoint; CheckpointError where the config, data or vocabulary of a resumed
// run changed; IoError; UsageError where a metric does not exist; DataError where there is nothing
// to validate on.
TrainingResult run_training(const TrainingRequest& request, const StopSignal& signal);

}  // namespace saccade
