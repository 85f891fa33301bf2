// Trains a run as the program does it: with progress on stderr, metrics.jsonl, train.log, a
// manifest and TensorBoard events. Shared by `train` and `compare`.
#pragma once

#include <set>
#include <string>

#include "captioning/learning/runs/training_run.h"
#include "experiments/process/stop_signal.h"
#include "experiments/runs/run_reporter.h"

namespace saccade {

struct ExperimentConfig;

// Loads the data of runs, with progress on stderr. Throws what RunData throws, and Stopped.
RunData load_run_data(const ExperimentConfig& config, const RunData::Request& request,
                      const StopSignal& signal);

struct ReportedRequest {
  const ExperimentConfig* config = nullptr;
  const RunData* data = nullptr;
  RunDirectory* directory = nullptr;  // as that of TrainingRequest
  bool resume = false;                // continue from the newest checkpoint, if there is one
  Split validation = Split::kVal;
  std::string label;  // the beginning of progress lines
  // The warnings that were shown already and are not shown again; the log of the run has all of
  // them. May be null.
  std::set<std::string>* warned = nullptr;
  bool draws = false;      // whether metrics.jsonl has what hard attention takes in every update
  MeteorOptions meteor{};  // the tables of METEOR in validations
  // Hears of everything after the files of the run have it. May be null.
  RunObserver* follower = nullptr;
};

struct ReportedResult : TrainingResult {
  Telemetry telemetry;
};

// Over ranks, only the first one reports. Throws what run_training() throws.
ReportedResult run_reported(const ReportedRequest& request, const StopSignal& signal);

}  // namespace saccade
