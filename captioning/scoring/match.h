// Which caption of a results file belongs to which image of the references.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "captioning/scoring/caption_files.h"

namespace saccade {

// Finds an image in the references by its number or, if it has one and they have names, its name:
// by the whole name or, on either side, by the part behind the last slash, if only one image has
// it.
class ImageIndex {
 public:
  explicit ImageIndex(const ReferenceFile& references);
  std::optional<std::size_t> find(const ResultCaption& result) const;

 private:
  std::unordered_map<std::int64_t, std::size_t> numbers_;
  std::unordered_map<std::string, std::size_t> names_;
  std::unordered_map<std::string, std::optional<std::size_t>> last_names_;  // none: several have it
};

// What is scored, in the order of the references.
struct MatchedCaptions {
  std::vector<std::size_t> images;  // into ReferenceFile::images
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> references;
  // What a user should know although the captions can be scored: images without a caption, captions
  // without a word, captions with line ends. One line each.
  std::vector<std::string> notes;
};

// Images that the results do not name are not scored, as in the COCO evaluation. Throws DataError
// that counts the captions of images which the references do not have, and the images with several
// captions, and names the first ones; also where captions in order are not as many as the images,
// or where no caption is left.
MatchedCaptions match(const ReferenceFile& references, const ResultFile& results);

}  // namespace saccade
