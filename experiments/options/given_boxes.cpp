#include "experiments/options/given_boxes.h"

#include "captioning/study/grounding/configured_boxes.h"
#include "core/base/error.h"
#include "experiments/process/log.h"

namespace saccade {

void refuse_boxes_of_scenes(const std::string& boxes, const DataConfig& data) {
  if (!boxes.empty() && data.type == DataKind::kScenes)
    throw UsageError("--boxes: the scenes have boxes of their own; leave the option out");
  if (!boxes.empty() && data.type == DataKind::kSequences)
    throw UsageError("--boxes: texts have no boxes; leave the option out");
}

std::unique_ptr<PhotoBoxes> given_boxes(const std::string& given, const DataConfig& config,
                                        const LoadedData& data, std::span<const Index> images,
                                        const IsNamed& named) {
  refuse_boxes_of_scenes(given, config);
  if (!given.empty()) return boxes_of_file(given, data, images);
  return configured_boxes(config, data, images, log::show, named);
}

}  // namespace saccade
