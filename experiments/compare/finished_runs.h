// Groups runs that were trained before into the arms of a comparison.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/learning/runs/checkpoint_content.h"
#include "experiments/compare/comparison.h"

namespace saccade {

// The best checkpoint of a run, with its config and data. The run may have been stopped before its
// end (see unfinished_runs()).
struct FinishedRun {
  std::filesystem::path directory, checkpoint;
  ExperimentConfig config;
  DataIdentity data;
  std::string vocabulary;  // its digest
  Index update = 0;        // of the checkpoint
};

// The run in a directory. Throws CheckpointError where it has no checkpoint or a damaged one.
FinishedRun find_run(const std::filesystem::path& directory);

// Runs whose configs differ only in the seed and in values that do not affect training: the name,
// the number of threads, the place of the feature cache, options that the choices of the run leave
// unread, and the places of the data set and of a frozen network, where the checkpoints have the
// same digests of them.
struct RunGroup {
  Arm arm;  // named after its config if these names differ between groups, else after its directory
  std::vector<FinishedRun> runs;
};
// The groups in the order of the runs. Throws UsageError where two runs of a group have the same
// seed.
std::vector<RunGroup> group_runs(const std::vector<FinishedRun>& runs);

// How the configs of the arms differ from that of the first, one line for each value that both of
// them read: "  hard: attention.selection is hard, not soft".
std::string arm_differences(const std::vector<RunGroup>& groups);

// The runs that were not trained to their end, one line for each; empty where all were or have no
// record of it.
std::string unfinished_runs(const std::vector<FinishedRun>& runs);

// How the data and the vocabularies of the runs differ, one line for each difference; empty where
// all runs have the same.
std::string data_differences(const std::vector<FinishedRun>& runs);

// The METEORs by which these runs were chosen or stopped, one line for each run, where they have
// not all the same paraphrases; else empty. Other runs have taken nothing from METEOR.
std::string meteor_differences(const std::vector<FinishedRun>& runs);

}  // namespace saccade
