// The boxes of photos that a config names (data.boxes).
#pragma once

#include <memory>
#include <span>

#include "captioning/data/data_config.h"
#include "captioning/grounding/noun_boxes.h"
#include "core/base/messages.h"

namespace saccade {

// The boxes of these images from data.boxes; null where it is empty, and for scenes and texts. Also
// null, with a message to the listener, where the file has moved, cannot be read or has none of the
// images: it may cover other splits only, and the work can be done without boxes.
std::unique_ptr<PhotoBoxes> configured_boxes(const DataConfig& config, const Dataset& dataset,
                                             std::span<const Index> images,
                                             const MessageListener& listener);

// Throws DataError where data.boxes names a path that does not exist, so that a new run learns of
// it at its start.
void require_configured_boxes(const DataConfig& config);

}  // namespace saccade
