#include "captioning/study/grounding/noun_boxes.h"

#include "captioning/study/grounding/coco_boxes.h"
#include "captioning/study/grounding/entity_boxes.h"
#include "core/base/error.h"

namespace saccade {

std::unique_ptr<PhotoBoxes> read_photo_boxes(const std::filesystem::path& path,
                                             const Dataset& dataset,
                                             std::span<const Index> images) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw DataError(str(path.string(),
                        ": no such file or folder; boxes are a COCO instances JSON, or a folder "
                        "with Annotations/ and Sentences/ of Flickr30k Entities"));
  }
  std::unique_ptr<PhotoBoxes> boxes;
  if (std::filesystem::is_directory(path, error))
    boxes = std::make_unique<EntityBoxes>(path, dataset, images);
  else
    boxes = std::make_unique<CocoBoxes>(path, dataset, images);
  for (const Index image : images)
    if (boxes->knows(image)) return boxes;
  throw DataError(str(
      path.string(), ": knows none of the ", images.size(), " images, which are called like ",
      dataset.images[static_cast<std::size_t>(images[0])].id, "; images are matched by file name"));
}

std::vector<Rect> scaled_boxes(std::span<const Rect> boxes, const ImageSize& from,
                               const ImageSize& to) {
  const double across = static_cast<double>(to.width) / static_cast<double>(from.width);
  const double down = static_cast<double>(to.height) / static_cast<double>(from.height);
  std::vector<Rect> out;
  for (const Rect& box : boxes)
    out.push_back({box.x * across, box.y * down, box.width * across, box.height * down});
  return out;
}

}  // namespace saccade
