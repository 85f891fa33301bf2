// The built-in tasks on texts, as a Dataset whose images are texts and whose captions are what the
// texts are turned into.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "captioning/data/dataset.h"
#include "captioning/data/sequences/sequences_config.h"

namespace saccade {

// A text, and for each word of its caption the places of the tokens that the word comes from.
struct SourceText {
  std::vector<std::string> tokens;
  std::vector<std::vector<Index>> origins;
};

struct SequencesDataset {
  Dataset dataset;
  std::vector<SourceText> texts;   // parallel to dataset.images
  std::vector<std::string> words;  // all tokens that the task may use, in byte order
};

// Draws the data set. The result of a text decides which split it may be in, so that no result of
// val or test occurs in training. A text depends only on the task, its options, the seed, the split
// and its number in the split, so a larger data set begins with the smaller one. Throws UsageError
// for options that do not fit together, and where there are too few different texts for a split.
SequencesDataset sequences_dataset(const SequencesConfig& config);

// The tokens of a text that a person wrote: words of letters in lower case, digits one by one, and
// other signs; hyphens count as white space.
std::vector<std::string> source_tokens(std::string_view text);

}  // namespace saccade
