// Where the things are that the nouns of a caption name, as people marked them in photos.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/dataset.h"
#include "vision/images/image.h"
#include "vision/images/rect.h"

namespace saccade {

// A noun of a caption.
struct NounBoxes {
  std::size_t word = 0;     // its place in the caption; of several words the last
  std::vector<Rect> boxes;  // in pixels of the picture; empty where the picture lacks what it names
};

class PhotoBoxes {
 public:
  virtual ~PhotoBoxes() = default;

  // Which file or folder this is, and how nouns find their boxes, for reports.
  virtual std::string description() const = 0;
  // Whether the boxes of image i of the data set are known.
  virtual bool knows(Index image) const = 0;
  // The nouns among the words of an image's caption (tokenize()d), in order; none where the image's
  // boxes are not known. Boxes are scaled from the annotated size to `size`. Many threads may call
  // it at once.
  virtual std::vector<NounBoxes> nouns(Index image, std::span<const std::string> words,
                                       const ImageSize& size) const = 0;
};

// Boxes of `images` of a data set, from a COCO instances JSON (coco_boxes.h) or a folder of
// Flickr30k Entities (entity_boxes.h). Throws DataError where the path is neither, is broken, or
// knows none of the images.
std::unique_ptr<PhotoBoxes> read_photo_boxes(const std::filesystem::path& path,
                                             const Dataset& dataset, std::span<const Index> images);

// The boxes of a picture of size `from`, in a picture of size `to`.
std::vector<Rect> scaled_boxes(std::span<const Rect> boxes, const ImageSize& from,
                               const ImageSize& to);

}  // namespace saccade
