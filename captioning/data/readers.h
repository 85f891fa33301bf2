// Readers: each makes a Dataset from one published form of captions. All of them drop, count and
// note captions without words and images without captions, and replace control characters by white
// space. They throw DataError, which names file and line, byte or entry, for what cannot be read,
// for names that lead out of the image folder, for duplicates, and for a data set without images.
#pragma once

#include <filesystem>

#include "captioning/data/dataset.h"

namespace saccade {

struct KarpathyFiles {
  std::filesystem::path annotations;  // dataset_{coco,flickr8k,flickr30k}.json
  std::filesystem::path images;       // the images' folder; a `filepath` in the file is below it
};
// Karpathy's splits; restval counts as train.
Dataset read_karpathy(const KarpathyFiles& files);

struct Flickr8kFiles {
  std::filesystem::path tokens;  // Flickr8k.token.txt: <file>#<k> TAB <caption>
  std::filesystem::path splits;  // folder of Flickr_8k.{trainImages,devImages,testImages}.txt
  std::filesystem::path images;
};
// At least one split list must exist; dev becomes val. Names that are not of an image file are
// dropped.
Dataset read_flickr8k(const Flickr8kFiles& files);

struct CocoFiles {
  std::filesystem::path train;  // captions_train*.json
  std::filesystem::path train_images;
  std::filesystem::path val = {};  // captions_val*.json; empty for none
  std::filesystem::path val_images = {};
};
Dataset read_coco(const CocoFiles& files);

struct FolderFiles {
  std::filesystem::path images;
  std::filesystem::path captions = {};  // empty: captions.csv in the image folder
  double val_share = 0.1;  // the share of the images in val, where the CSV has no column `split`
};
// A CSV file (RFC 4180) with a header: the columns are image, caption and, optionally, split
// (train, val, test); there is one line per caption. Without a split column, an image's name alone
// decides.
Dataset read_folder(const FolderFiles& files);

}  // namespace saccade
