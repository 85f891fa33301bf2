// Readers: what each published form of captions becomes a Dataset from. All of them drop, count
// and note captions without words and images without captions, put white space in place of control
// characters, and throw DataError naming file and line, byte or entry for what cannot be read,
// for names that lead out of the image folder, for duplicates, and for a data set with no image.
#pragma once

#include <filesystem>

#include "captioning/data/dataset.h"

namespace saccade {

struct KarpathyFiles {
  std::filesystem::path annotations;  // dataset_{coco,flickr8k,flickr30k}.json
  std::filesystem::path images;       // images are below it, in `filepath` where the file says so
};
// Karpathy's splits; restval counts as train.
Dataset read_karpathy(const KarpathyFiles& files);

struct Flickr8kFiles {
  std::filesystem::path tokens;  // Flickr8k.token.txt: <file>#<k> TAB <caption>
  std::filesystem::path splits;  // folder of Flickr_8k.{trainImages,devImages,testImages}.txt
  std::filesystem::path images;
};
// At least one split list must exist; dev is val. Names that are no image file are dropped.
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
  double val_share = 0.1;               // of the images, where the CSV has no column `split`
};
// A CSV (RFC 4180) with a header: columns image and caption, and split (train, val, test) if
// wanted; one line a caption. Without a split column an image's name alone decides.
Dataset read_folder(const FolderFiles& files);

}  // namespace saccade
