// manifest.json: what a run was made from, and every time it was started.
#pragma once

#include <filesystem>
#include <string>

#include "captioning/data/dataset.h"
#include "captioning/text/vocabulary.h"
#include "core/config/experiment_config.h"

namespace saccade {

// How this process was called, arguments quoted where they need it.
std::string command_line();

struct ManifestContent {
  const ExperimentConfig* config = nullptr;
  const Dataset* dataset = nullptr;
  const Vocabulary* vocabulary = nullptr;
  Index resumed_update = -1;  // -1: started from the beginning
};

// The manifest as JSON: versions, compiler, SIMD level, seed, digests of data and vocabulary, and
// the starts that the manifest at `previous` lists, if it can be read, with this one added.
std::string manifest_json(const std::filesystem::path& previous, const ManifestContent& content);

}  // namespace saccade
