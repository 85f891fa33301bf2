// Which caption of a results file belongs to which image of the references.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/image_id.h"

namespace saccade {

// Finds an image of the references by its id. Names count with as many of their folders as both
// sides have ("/data/photos/a.jpg" is "a.jpg" and "photos/a.jpg", unless several images are), and
// without the ending of a picture's file where one side has none. A name goes before a number where
// the references have names. Images of references in order have their places as numbers, from 1.
class ImageIndex {
 public:
  explicit ImageIndex(const CaptionFile& references);
  std::optional<std::size_t> find(const ImageId& id) const;
  // The same where the number of an id is the name of an image: 7 for "7.jpg".
  std::optional<std::size_t> find_as_name(const ImageId& id) const;

 private:
  using Images = std::unordered_map<std::string, std::optional<std::size_t>>;  // none: several
  std::optional<std::size_t> find_name(const std::string& name) const;

  std::unordered_map<std::int64_t, std::optional<std::size_t>> numbers_;
  std::unordered_map<std::string, std::size_t> names_;
  Images endings_;  // of names, each of which begins at a folder or at the file
  Images stems_;    // the files of these names without the ending of a picture
};

// What is scored, in the order of the references.
struct MatchedCaptions {
  std::vector<std::size_t> images;  // into CaptionFile::images
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> references;
  std::array<std::string, 2> forms;  // what references and results were read as, in a line each
  // What a user should know although the captions can be scored: images without a caption, captions
  // without a word, captions with line ends. One line each.
  std::vector<std::string> notes;
};

// Images that the results do not name are not scored, as in the COCO evaluation. Throws DataError
// that counts the captions of images which the references do not have, and the images with several
// captions, and names the first ones; also where an image with a caption has no reference, where
// captions in order are not as many as the images, or where no caption is left. Throws UsageError,
// with what decides, where numbers may be ids, names or places and these are different images.
MatchedCaptions match(const CaptionFile& references, const CaptionFile& results);

}  // namespace saccade
