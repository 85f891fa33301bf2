// Dataset: captioned images in splits, whatever files they were read from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/files/splits.h"
#include "core/base/real.h"

namespace saccade {

struct CaptionedImage {
  std::string id;  // unique in its data set
  std::int64_t number =
      0;             // COCO image id, Karpathy cocoid or imgid, else the position in the file
  std::string path;  // of the image file; empty where the image is drawn, or has only features
  Split split = Split::kTrain;
  std::vector<std::string> captions;  // as written, at least one
};

// The images of one of several data sets that were joined.
struct DatasetPart {
  std::string name;
  Index begin = 0, end = 0;  // in Dataset::images
};

struct Dataset {
  std::string name;
  std::vector<CaptionedImage> images;
  std::vector<DatasetPart> parts{};  // of a joined data set, in order; else empty
  std::string digest;                // a digest of everything above that training depends on
  std::vector<std::string> notes;    // what was dropped, and how much
  // Whether CaptionedImage::number tells no image from all others in the files: it is a place where
  // they have no numbers, and files of two splits may each count their own.
  bool numbers_are_places = false;
};

// The indices of the images of a split, in order.
std::vector<Index> images_of(const Dataset& dataset, Split split);

// The notes with the name of their data set before each; those of joined sets have their own.
std::vector<std::string> named_notes(const Dataset& dataset);

// How many captions the images have together.
Index caption_count(const Dataset& dataset, const std::vector<Index>& images);

// XXH3-128 in hexadecimal of name, ids, numbers, splits and captions (not of paths, so that a data
// set may move).
std::string dataset_digest(const Dataset& dataset);

// The same of some of its images, without their numbers: it does not change with what else is in
// the data set.
std::string images_digest(const Dataset& dataset, std::span<const Index> images);

}  // namespace saccade
