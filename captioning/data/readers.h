// Readers: each makes a Dataset from one published form of captions. All of them drop, count and
// note captions without words and images without captions, and replace control characters by white
// space; `./a.jpg` and `a.jpg` are one image. Where the files have no splits, all images are train
// (fill_splits.h makes the others). They throw DataError, which names file and line, byte or entry,
// for what cannot be read, for names that lead out of the image folder, for duplicates, and for a
// data set without images.
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
  // Folder of Flickr_8k.{trainImages,devImages,testImages}.txt; empty: all images are train.
  std::filesystem::path splits;
  std::filesystem::path images;
};
// At least one list must be in the folder of the lists, if one is given; dev becomes val. Names
// that are not of an image file are dropped.
Dataset read_flickr8k(const Flickr8kFiles& files);

struct CocoFiles {
  std::filesystem::path train;  // captions_train*.json
  std::filesystem::path train_images;
  std::filesystem::path val = {};  // captions_val*.json; empty for none
  std::filesystem::path val_images = {};
};
// Captions of images that a file does not list are left out and counted. Where both files are one,
// it is read once, as train. Where photos of the two have equal names, all are called train/NAME
// and val/NAME; DataError where such a photo is one file.
Dataset read_coco(const CocoFiles& files);

// The list of captions in a folder of images: captions.csv, metadata.csv or metadata.jsonl, the
// first that exists; captions.csv where none does.
std::filesystem::path captions_beside(const std::filesystem::path& images);

struct FolderFiles {
  std::filesystem::path images;
  std::filesystem::path captions = {};  // empty: captions_beside(images)
};
// A list of images with captions and, optionally, splits, in any form that caption_rows.h reads.
// Without splits, all images are train. Captions that an image has twice are dropped and counted.
Dataset read_folder(const FolderFiles& files);

}  // namespace saccade
