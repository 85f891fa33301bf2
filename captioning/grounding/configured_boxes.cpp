#include "captioning/grounding/configured_boxes.h"

#include <filesystem>

#include "core/base/error.h"

namespace saccade {

std::unique_ptr<PhotoBoxes> configured_boxes(const DataConfig& config, const Dataset& dataset,
                                             std::span<const Index> images,
                                             const MessageListener& listener) {
  if (config.boxes.empty() || config.is_drawn() || images.empty()) return nullptr;
  try {
    return read_photo_boxes(config.boxes, dataset, images);
  } catch (const DataError& error) {
    inform(listener, str("maps are not judged by boxes (data.boxes): ", error.what()));
    return nullptr;
  }
}

void require_configured_boxes(const DataConfig& config) {
  std::error_code error;
  if (config.is_drawn() || config.boxes.empty() || std::filesystem::exists(config.boxes, error))
    return;
  throw DataError(
      str("data.boxes: ", config.boxes,
          ": no such file or folder; name a COCO instances JSON or a folder of Flickr30k "
          "Entities, or leave data.boxes empty"));
}

}  // namespace saccade
