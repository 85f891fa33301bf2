// The files that `saccade score` compares: references and results, in the forms in use. No image is
// needed. Captions are taken as they stand, and nothing is dropped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "captioning/data/dataset.h"

namespace saccade {

struct ReferenceImage {
  std::string name;         // of the image file, as the file has it; empty in a plain text file
  std::int64_t number = 0;  // COCO image id, Karpathy cocoid or imgid, else its place, from 1
  std::vector<std::string> captions;  // at least one
};

struct ReferenceFile {
  std::string path;
  bool numbered = false;  // whether numbers are ids of the file; else they are places
  std::vector<ReferenceImage> images;
  std::vector<std::string> notes{};  // what a user should know although it can be read
};

// Reads a file. Its form is recognized by its content:
//   COCO captions JSON        {"images": [...], "annotations": [...]}
//   Karpathy JSON             {"images": [{"sentences": [...]}]}
//   Flickr8k's token file     <image>#<k> TAB <caption>
//   CSV, or a file NAME.csv   the captions of a folder (readers.h: read_folder); a first line
//                             image,caption tells it. Splits that it lacks are made (fill_splits.h)
//   plain text                one line per image, its references with tabs between
// The order of images and captions is that of the file. With `split`, other splits are left out.
// There are notes on captions that contain line ends. Throws UsageError when a split is given for a
// file without splits, and DataError that names file and place for what cannot be read, for images
// that appear twice and for images without a reference.
ReferenceFile read_references(const std::filesystem::path& path, std::optional<Split> split);

// A name goes before a number where the references have names. A caption with neither belongs to
// the image that has its place in the references.
struct ResultCaption {
  std::string name;                    // of the image file, as the file has it
  std::optional<std::int64_t> number;  // of the image
  std::string caption;
  std::string place;  // its place in the file, for messages
};

struct ResultFile {
  std::string path;
  std::vector<ResultCaption> captions;
};

// Reads COCO results JSON ([{"image_id": 7, "caption": "..."}], where image_id may be the name of
// an image file, or `image` beside it), the captions that `saccade caption --json` prints, CSV with
// the columns image and caption, or text: one line per image, either <image> TAB <caption>, or the
// caption alone, for the references' images in order. Throws DataError that names file and place.
ResultFile read_results(const std::filesystem::path& path);

// "3 captions hold line ends, which are taken as spaces", about the file at `path`.
std::string line_ends_note(const std::string& path, std::size_t captions);

}  // namespace saccade
