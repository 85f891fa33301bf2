// Trains a captioner from a config into a run directory.
#pragma once

#include <atomic>

#include "captioning/learning/runs/run_directory.h"
#include "captioning/learning/runs/run_observer.h"

namespace saccade {

struct ExperimentConfig;

struct TrainingRequest {
  const ExperimentConfig* config = nullptr;
  const RunData* data = nullptr;
  RunDirectory* directory = nullptr;  // null on all ranks but the first
  RunObserver* observer = nullptr;
  bool resume = false;  // continue from the newest checkpoint, if there is one
  Split validation = Split::kVal;
  // The run saves and ends after the update in which this becomes another number than 0. May be
  // null.
  const std::atomic<int>* stop = nullptr;
  // Where train.init_from finds a model by its name, before the folders of the program or library
  // itself (named_models.h).
  std::vector<std::filesystem::path> models{};
  MeteorOptions meteor{};  // the tables of METEOR in validations
  OwnReward reward{};      // what objective.self_critical.reward.own weighs
};

// Throws UsageError where the ranks (parallel::OverRanks) cannot share a batch.
void check_ranks(const ExperimentConfig& config);

// Trains a captioner into a run directory whose lock the caller holds: its config, and its
// checkpoints with their links. Over ranks (parallel::OverRanks), all of them call it, and the
// first one writes. Throws DivergedError, which names the last good checkpoint; CheckpointError
// where the config, data or vocabulary of a resumed run changed; IoError; UsageError where a metric
// does not exist; DataError where there is nothing to validate on.
TrainingResult run_training(const TrainingRequest& request);

}  // namespace saccade
