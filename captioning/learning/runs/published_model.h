// The captioner in a folder as a hub publishes it (model/published/), as a model like those of
// checkpoints.
#pragma once

#include "captioning/learning/runs/checkpoint_content.h"

namespace saccade {

// As load_model() of the folder, which calls it. Throws what read_published() and load_published()
// throw, and UsageError for a bad override.
LoadedModel load_published_model(const std::filesystem::path& folder,
                                 std::span<const std::string> overrides,
                                 std::shared_ptr<const AttentionRegistry> added,
                                 const std::string& overrider);

// Its config alone, without overrides.
ExperimentConfig published_config(const std::filesystem::path& folder,
                                  std::shared_ptr<const AttentionRegistry> added = {});

// A checkpoint for captioning alone of such a model, which needs the folder no longer. Borrows the
// numbers of the model.
Archive published_archive(const LoadedModel& loaded);

}  // namespace saccade
