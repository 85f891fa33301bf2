// The boxes of photos that a config or a user names, whether the data are one set or several that
// are joined.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "captioning/data/data_sets.h"
#include "captioning/data/load_data.h"
#include "captioning/study/grounding/noun_boxes.h"
#include "core/base/messages.h"

namespace saccade {

// Whether a user named the boxes of this key, data.boxes or data.sets.NAME.boxes. The place that
// the maker of a checkpoint had for them is named by nobody here.
using IsNamed = std::function<bool(const std::string& key)>;

// Of a config that the user wrote: all.
bool named_all(const std::string& key);

// The boxes of these images from data.boxes, or from those of each joined set; null where all are
// empty, and for scenes and texts. Also null, with a message to the listener, where the file has
// none of the images: it may cover other splits only, and the work can be done without boxes. The
// same where it has moved, cannot be read or has no image of the data set; but what is `named`
// throws DataError then, with a line for each key.
std::unique_ptr<PhotoBoxes> configured_boxes(const DataConfig& config, const LoadedData& data,
                                             std::span<const Index> images,
                                             const MessageListener& listener,
                                             const IsNamed& named = {});

// The same where the work cannot be done without them: throws what read_photo_boxes() throws, with
// the key before it. Null where none are given.
std::unique_ptr<PhotoBoxes> needed_boxes(const DataConfig& config, const LoadedData& data,
                                         std::span<const Index> images);

// The boxes of one file or folder. Throws DataError where it knows none of the images, and where it
// knows images of several joined sets, in whatever split: their names may be equal by chance.
std::unique_ptr<PhotoBoxes> boxes_of_file(const std::filesystem::path& path, const LoadedData& data,
                                          std::span<const Index> images);

}  // namespace saccade
