// The pipeline that feeds a model from a checkpoint.
#pragma once

#include <memory>
#include <string>

#include "captioning/learning/runs/checkpoint_content.h"

namespace saccade {

// Makes it from the model's config. `option` stands before the key of a config where an error names
// one ("--set "). Throws DataError where a frozen encoder's file is missing, or it is not the
// network, layer or preprocessing that the model was trained with; CheckpointError where its grid
// is not the one that the checkpoint says; and what InputPipeline throws.
std::unique_ptr<InputPipeline> pipeline_of(const LoadedModel& loaded,
                                           const MessageListener& listener,
                                           const std::string& option = "");

}  // namespace saccade
