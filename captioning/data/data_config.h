// The section `data`: images and captions.
#pragma once

#include <cstdint>
#include <string>

#include "captioning/data/scenes/scenes_config.h"
#include "captioning/data/sequences/sequences_config.h"
#include "captioning/scoring/files/splits.h"
#include "core/base/enum_names.h"
#include "core/base/real.h"
#include "core/config/named_values.h"

namespace saccade {

class Section;

enum class DataKind { kScenes, kKarpathy, kCoco, kFlickr8k, kFolder, kSequences, kJoined };
constexpr auto enum_table(DataKind) {
  using enum DataKind;
  return enum_rows<DataKind>({
      {kScenes, "scenes", "drawn scenes with known boxes and facts; needs no files"},
      {kKarpathy, "karpathy", "dataset_*.json with Karpathy's splits, and a folder of images"},
      {kCoco, "coco", "COCO captions JSON for training and validation"},
      {kFlickr8k, "flickr8k", "Flickr8k.token.txt and the folder of split lists"},
      {kFolder, "folder", "a folder of images and a list of captions, as a table or JSON"},
      {kSequences, "sequences",
       "texts instead of images, and what they are turned into; needs no files"},
      {kJoined, "joined", "several of the others, which data.sets names"},
  });
}

enum class VocabularyKind { kWords, kBpe, kPublished };
constexpr auto enum_table(VocabularyKind) {
  using enum VocabularyKind;
  return enum_rows<VocabularyKind>({
      {kWords, "words", "the words of the training captions; others are <unk>"},
      {kBpe, "bpe",
       "pieces of words, merged from the training captions by byte-pair encoding (Sennrich et al. "
       "2016); nothing is <unk>"},
      {kPublished, "published",
       "the tokens of the published captioner that decoder.weights or train.init_from names"},
  });
}

enum class BadImage { kFail, kSkip };
constexpr auto enum_table(BadImage) {
  using enum BadImage;
  return enum_rows<BadImage>({
      {kFail, "fail", "stop at the first image that cannot be read"},
      {kSkip, "skip", "leave such images out and count them"},
  });
}

// Whether a config has to name the folders of its images (data.images, data.val_images). Images
// without a folder have no path: nothing but their features can be read.
enum class ImageFolders { kNeeded, kMayLack };

// Which images become val and test where the files do not say it (fill_splits.h).
struct SplitConfig : SplitShares {
  void fields(Section& v);
};

struct DataConfig {
  DataKind type = DataKind::kScenes;
  std::string annotations, images, tokens, splits, val_annotations, val_images, boxes;
  VocabularyKind vocabulary = VocabularyKind::kWords;
  std::int64_t min_count = 5;
  std::int64_t bpe_size = 2000;
  std::int64_t max_length = 20;
  std::int64_t captions_per_image = 5;
  BadImage on_bad_image = BadImage::kFail;
  std::int64_t max_megapixels = 64;
  std::int64_t limit_train = 0;
  std::int64_t limit_val = 0;
  double share = 1;
  NamedValuesList sets;
  SplitConfig split;
  ScenesConfig scenes;
  SequencesConfig sequences;

  // Whether the data set is made from a seed, and not read from files.
  bool is_drawn() const { return type == DataKind::kScenes || type == DataKind::kSequences; }

  // The largest image that is decoded, in pixels.
  Index max_pixels() const { return max_megapixels * 1'000'000; }

  void fields(Section& v);
};

}  // namespace saccade
