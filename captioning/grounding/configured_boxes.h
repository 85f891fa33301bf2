// The boxes of photos, from the file that the command line names or else the config.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "captioning/data/load_data.h"
#include "captioning/grounding/noun_boxes.h"

namespace saccade {

// The boxes of these images: from the file `given` on the command line, or else from data.boxes of
// the config. Null where neither is set. Also null, with a message, where the file of the config
// has moved, cannot be read or knows none of the images: it may cover other splits only, and the
// command can do its work without boxes. Throws UsageError on boxes for scenes, and what
// read_photo_boxes() throws on `given`.
std::unique_ptr<PhotoBoxes> configured_boxes(const std::string& given, const DataConfig& config,
                                             const Dataset& dataset, std::span<const Index> images);

// Throws DataError where data.boxes names a path that does not exist, so that a new run learns of
// it at its start.
void require_configured_boxes(const DataConfig& config);

}  // namespace saccade
