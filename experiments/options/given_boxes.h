// The boxes of photos, from the file that the command line names (--boxes) or else the config.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "captioning/data/load_data.h"
#include "captioning/study/grounding/configured_boxes.h"
#include "captioning/study/grounding/noun_boxes.h"

namespace saccade {

// Throws UsageError where --boxes gave a path (`boxes`) although the data set is scenes, which have
// boxes of their own, or texts, which have none.
void refuse_boxes_of_scenes(const std::string& boxes, const DataConfig& data);

// The boxes of these images from the file `given` on the command line or else, where that is empty,
// from data.boxes (captioning/study/grounding/configured_boxes.h), of which the user named those
// that `named` says. Throws UsageError on boxes for scenes and texts, what boxes_of_file() throws
// on `given`, and what configured_boxes() throws.
std::unique_ptr<PhotoBoxes> given_boxes(const std::string& given, const DataConfig& config,
                                        const LoadedData& data, std::span<const Index> images,
                                        const IsNamed& named);

}  // namespace saccade
