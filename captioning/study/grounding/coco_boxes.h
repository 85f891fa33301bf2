// Boxes of a COCO instances JSON (instances_{train,val}*.json, and other files of that form).
#pragma once

#include <optional>
#include <unordered_map>

#include "captioning/study/grounding/category_words.h"
#include "captioning/study/grounding/noun_boxes.h"

namespace saccade {

// The boxes of a noun are those of the categories that it may mean (CategoryWords), crowds
// included. Pictures are found by file name, with or without a prefix like COCO_val2014_, and in a
// data set that is named coco also by image id.
class CocoBoxes : public PhotoBoxes {
 public:
  // Keeps the boxes of `images`. Throws DataError that names file and entry.
  CocoBoxes(const std::filesystem::path& file, const Dataset& dataset,
            std::span<const Index> images);

  std::string description() const override;
  bool knows(Index image) const override { return photos_.contains(image); }
  std::vector<NounBoxes> nouns(Index image, std::span<const std::string> words,
                               const ImageSize& size) const override;

 private:
  // Throws where the boxes seem to be in another form than COCO's, whose numbers are pixels.
  void refuse_other_forms(const std::string& file) const;

  struct Photo {
    ImageSize size;
    std::vector<std::pair<std::size_t, Rect>> boxes;  // of which category
  };
  std::string file_;
  std::unordered_map<Index, Photo> photos_;
  std::optional<CategoryWords> names_;
};

}  // namespace saccade
