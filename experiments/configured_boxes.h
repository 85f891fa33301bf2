// The boxes of photos that a config names, or a command line instead of it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "captioning/data/load_data.h"
#include "captioning/grounding/noun_boxes.h"

namespace saccade {

// Boxes of these images: from `given`, what a command line names, or else from data.boxes of the
// config. Null where neither is there, and, with a remark, where those of the config know none of
// the images, cannot be read or have moved: they are of other splits too, and maps are no worse for
// it. Throws UsageError on boxes for scenes, and what read_photo_boxes() throws on `given`.
std::unique_ptr<PhotoBoxes> configured_boxes(const std::string& given, const DataConfig& config,
                                             const Dataset& dataset, std::span<const Index> images);

// Throws DataError where data.boxes names nothing that is there: a run that begins should not find
// out later.
void require_configured_boxes(const DataConfig& config);

}  // namespace saccade
