// How well a model turns texts into what they should become: whether the result is right, word by
// word and as a whole, how that depends on the length of the text, and whether each word's map lies
// on the tokens that the word comes from.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "captioning/data/sequences/sequences_dataset.h"
#include "captioning/model/search/search.h"
#include "captioning/scoring/statistics/image_statistics.h"

namespace saccade {

struct Table;

inline constexpr const char* kAlignmentAccuracy = "alignment_accuracy";

// The scores of the texts of one length.
struct LengthScores {
  Index tokens = 0;  // of each text
  Index texts = 0;
  double exact_match = 0, token_accuracy = 0;
};
Table table_of(const std::vector<LengthScores>& lengths);

// Sums over results.
class SequenceScores {
 public:
  // has_maps: whether the words of the model attend to tokens.
  explicit SequenceScores(bool has_maps) : has_maps_(has_maps) {}

  // Adds a result, where words[i] is the text of decoded.words[i].
  void add(const SourceText& text, std::span<const std::string> expected,
           std::span<const std::string> words, const DecodedCaption& decoded);

  // exact_match: the share of results that equal what is expected. token_accuracy: the share of
  // places with the right word, of the places of the longer one of the two, mean over texts.
  // alignment_accuracy: of the right words at their places, the share whose map is largest on a
  // token that they come from; only of a model with maps, and NaN where no word is right.
  std::vector<ImageStatistics> metrics() const;
  // From the shortest texts to the longest.
  std::vector<LengthScores> by_length() const;

 private:
  bool has_maps_;
  std::vector<double> exact_, accuracies_;               // [texts]
  std::vector<double> aligned_, judged_;                 // [texts] words
  std::map<Index, std::vector<std::size_t>> of_length_;  // the texts of each length
};

}  // namespace saccade
