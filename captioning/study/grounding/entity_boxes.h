// Boxes of Flickr30k Entities (Plummer et al., ICCV 2015): a folder with Annotations/NAME.xml and
// Sentences/NAME.txt, in which the phrases of the photo's captions are marked as [/EN#id/type
// phrase].
#pragma once

#include <unordered_map>

#include "captioning/study/grounding/noun_boxes.h"
#include "captioning/study/grounding/word_forms.h"

namespace saccade {

// The noun of a phrase is its last word. In a caption that is one of the photo's own sentences,
// each marked phrase is a noun with the boxes of its id. In any other caption, a noun is a word
// that is the last word of some phrase of the photo, or has its stem, or is a synonym of it
// (WordForms); its boxes are those of all these phrases. Phrases whose id has no box (scenes, and
// what cannot be seen) are not nouns.
class EntityBoxes : public PhotoBoxes {
 public:
  // Reads the files of `images`, by name: that of the image or, as Flickr30k calls its photos, the
  // number with which it begins, `1000268201` of 1000268201_693b08cb0e.jpg. Images without files
  // are not known. Throws DataError that names file and line.
  EntityBoxes(const std::filesystem::path& folder, const Dataset& dataset,
              std::span<const Index> images);

  std::string description() const override;
  bool knows(Index image) const override { return photos_.contains(image); }
  std::vector<NounBoxes> nouns(Index image, std::span<const std::string> words,
                               const ImageSize& size) const override;

 private:
  struct Noun {
    std::size_t word = 0;  // in its sentence
    std::string id;
  };
  struct Sentence {
    std::vector<std::string> words;
    std::vector<Noun> nouns;
  };
  struct Photo {
    ImageSize size;
    std::unordered_map<std::string, std::vector<Rect>>
        boxes;  // by id, without ids that have no box
    std::vector<Sentence> sentences;
  };
  static Photo read_photo(const std::filesystem::path& annotation,
                          const std::filesystem::path& sentences);
  static Sentence read_sentence(const std::string& line, const std::string& place);

  std::string folder_;
  std::unordered_map<Index, Photo> photos_;
  WordForms forms_;
};

}  // namespace saccade
