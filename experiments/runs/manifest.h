// manifest.json: from what a run was made, and every time that it was started.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "captioning/data/dataset.h"
#include "captioning/learning/runs/run_observer.h"
#include "captioning/model/vocabulary/vocabulary.h"

namespace saccade {

struct ExperimentConfig;

// The command line of this process, with arguments quoted where a shell needs it.
std::string command_line();

struct ManifestContent {
  const ExperimentConfig* config = nullptr;
  const Dataset* dataset = nullptr;
  const Vocabulary* vocabulary = nullptr;
  std::optional<WeightsOrigin> weights;  // empty: random weights, or the run was resumed
  std::string meteor_tables{};           // Meteor::tables(), of validations
  Index resumed_update = -1;             // -1: started from the beginning
};

// The manifest as JSON: versions, compiler, SIMD level, seed, digests of data and vocabulary, the
// origin of the first weights, and all starts including this one, each with what identifies the
// program (commit, and the digest of its file) and the processor. For a resumed run the earlier
// starts and the origin are read from the manifest at `previous`, if it can be read.
std::string manifest_json(const std::filesystem::path& previous, const ManifestContent& content);

}  // namespace saccade
