// The boxes of photos that a config or a user names, whether the data are one set or several that
// are joined.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "captioning/data/data_sets.h"
#include "captioning/data/load_data.h"
#include "captioning/study/grounding/noun_boxes.h"
#include "core/base/messages.h"

namespace saccade {

// The boxes of these images from data.boxes, or from those of each joined set; null where all are
// empty, and for scenes and texts. Also null, with a message to the listener, where the file has
// moved, cannot be read or has none of the images: it may cover other splits only, and the work can
// be done without boxes.
std::unique_ptr<PhotoBoxes> configured_boxes(const DataConfig& config, const LoadedData& data,
                                             std::span<const Index> images,
                                             const MessageListener& listener);

// The same where the work cannot be done without them: throws what read_photo_boxes() throws. Null
// where none are named.
std::unique_ptr<PhotoBoxes> needed_boxes(const DataConfig& config, const LoadedData& data,
                                         std::span<const Index> images);

// The boxes of one file or folder. Throws DataError where it knows none of the images, and where it
// knows those of several joined sets: their names may be equal by chance.
std::unique_ptr<PhotoBoxes> boxes_of_file(const std::filesystem::path& path, const LoadedData& data,
                                          std::span<const Index> images);

// Throws DataError where data.boxes names a path that does not exist, so that a new run learns of
// it at its start.
void require_configured_boxes(const DataConfig& config);

}  // namespace saccade
