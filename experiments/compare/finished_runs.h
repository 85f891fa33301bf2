// Runs that were trained before, as the arms of a comparison.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/training/checkpoint_content.h"
#include "experiments/compare/comparison.h"

namespace saccade {

// A run's best checkpoint and what it was trained on. Not all are finished: unfinished_runs().
struct FinishedRun {
  std::filesystem::path directory, checkpoint;
  ExperimentConfig config;
  DataIdentity data;
  std::string vocabulary;  // its digest
  Index update = 0;        // of the checkpoint
};

// Throws CheckpointError where there is none, or it is damaged.
FinishedRun find_run(const std::filesystem::path& directory);

// Runs whose configs differ in the seed alone (and in what decides nothing: name, threads, where
// files lie).
struct RunGroup {
  Arm arm;  // named after its config where that tells the groups apart, else after its directory
  std::vector<FinishedRun> runs;
};
// In their order. Throws UsageError where two runs of a group have one seed.
std::vector<RunGroup> group_runs(const std::vector<FinishedRun>& runs);

// In what the arms differ from the first one, a line each: "  hard: attention.selection is hard,
// not soft".
std::string arm_differences(const std::vector<RunGroup>& groups);

// Which runs have not come to their end, a line each; "" where all have, or kept no record.
std::string unfinished_runs(const std::vector<FinishedRun>& runs);

// In what the runs' data and vocabulary differ, a line each; "" where all have the same.
std::string data_differences(const std::vector<FinishedRun>& runs);

}  // namespace saccade
