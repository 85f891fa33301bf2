// manifest.json: what a run was made from, and every time it was started.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "captioning/data/dataset.h"
#include "captioning/text/vocabulary.h"
#include "core/config/experiment_config.h"

namespace saccade {

// How this process was called, arguments quoted where they need it.
std::string command_line();

// The checkpoint a run took its first weights from.
struct WeightsOrigin {
  std::string file;
  Index update = 0;
  std::string digest;  // of the file's content
};

struct ManifestContent {
  const ExperimentConfig* config = nullptr;
  const Dataset* dataset = nullptr;
  const Vocabulary* vocabulary = nullptr;
  std::optional<WeightsOrigin> weights;  // nothing: random ones, or the run was resumed
  Index resumed_update = -1;             // -1: started from the beginning
};

// The manifest as JSON: versions, compiler, SIMD level, seed, digests of data and vocabulary, where
// the first weights are from, and all starts with this one. A resumed run's earlier starts and
// first weights are read from the manifest at `previous`, if it can be read.
std::string manifest_json(const std::filesystem::path& previous, const ManifestContent& content);

}  // namespace saccade
