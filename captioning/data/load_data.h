// The data set of a config, of whatever type.
#pragma once

#include <optional>

#include "captioning/data/data_config.h"
#include "captioning/data/dataset.h"
#include "captioning/data/scenes/scenes_dataset.h"
#include "captioning/data/sequences/sequences_dataset.h"
#include "vision/images/image.h"

namespace saccade {

// A data set that was joined with others, as it was read.
struct JoinedSet {
  DataConfig config;
  Dataset dataset;
};

struct LoadedData {
  Dataset dataset;
  std::vector<JoinedSet> sets{};              // of data.type joined, as Dataset::parts; else empty
  std::optional<ScenesDataset> scenes;        // boxes and facts, where the images are drawn scenes
  std::optional<SequencesDataset> sequences;  // where the images are texts
  BadImage on_bad_image = BadImage::kFail;
  Index max_pixels = kMaxImagePixels;  // of an image that is decoded
  // The picture of image i: read from its file, or drawn; of a text, its tokens side by side.
  // Throws DataError, IoError.
  Image image(Index i) const;
  // Whether there is a picture of it; images whose features are in files need none.
  bool has_picture(Index i) const;
  // The size of that picture, from the head of its file. Throws what image() throws.
  ImageSize image_size(Index i) const;
  // The text of image i; null where images are pictures.
  const SourceText* text(Index i) const;
  // The tokens that texts may have, in byte order; none where images are pictures.
  std::vector<std::string> source_words() const;
  // Whether the images are made from a seed, and not read from files.
  bool is_drawn() const { return scenes || sequences; }
  // The split that is evaluated by default: test if it has images, else val.
  Split default_split() const;
};

// Reads or draws the data; config.split makes the splits that its files lack. limit_train and
// limit_val keep the first images of their splits; those of data.type joined are of each set, and
// an image with the id "a.jpg" of the set "coco" then has the id "coco/a.jpg". captions_per_image
// keeps the first captions of training images (references are never cut). Scenes and texts are
// drawn from a seed of their own, so that runs with other seeds see the same. Throws UsageError
// that names the missing keys of the config, and DataError for what cannot be read, with one line
// for each file and folder that is missing.
LoadedData load_data(const DataConfig& config, ImageFolders folders = ImageFolders::kNeeded);

// Throws DataError that names the keys by which there would be some, where no image is val.
void require_validation(const LoadedData& data);

}  // namespace saccade
