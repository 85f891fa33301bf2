// Where the things are that the nouns of a caption name, as people marked them in photos.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/box.h"
#include "captioning/data/dataset.h"
#include "vision/image.h"

namespace saccade {

// A noun of a caption.
struct NounBoxes {
  std::size_t word = 0;    // its place in the caption; of several words the last
  std::vector<Box> boxes;  // in pixels of the picture; empty where the picture lacks what it names
};

class PhotoBoxes {
 public:
  virtual ~PhotoBoxes() = default;

  // Which file or folder this is, and how nouns find their boxes: for reports.
  virtual std::string description() const = 0;
  // Whether anything is known of image i of the data set.
  virtual bool knows(Index image) const = 0;
  // The nouns among the words of a caption (tokenize()d) of an image, in order; none where nothing
  // is known of it. Boxes are scaled from the size that was annotated to `size`. Safe from many
  // threads.
  virtual std::vector<NounBoxes> nouns(Index image, std::span<const std::string> words,
                                       const ImageSize& size) const = 0;
};

// Boxes of `images` of a data set from a COCO instances JSON (coco_boxes.h) or from a folder of
// Flickr30k Entities (entity_boxes.h). Throws DataError where the path is neither, is broken, or
// knows none of the images.
std::unique_ptr<PhotoBoxes> read_photo_boxes(const std::filesystem::path& path,
                                             const Dataset& dataset, std::span<const Index> images);

// Boxes of a picture of size `from` in one of size `to`.
std::vector<Box> scaled_boxes(std::span<const Box> boxes, const ImageSize& from,
                              const ImageSize& to);

}  // namespace saccade
