// A caption of one's own, which a model is made to say instead of searching one: where it looks for
// these words, and how probable they are to it.
#pragma once

#include <string>
#include <vector>

#include "captioning/model/vocabulary/vocabulary.h"

namespace saccade {

struct SaidWords {
  std::vector<int> ids{};              // of the vocabulary, for add_captions() (photo.h)
  std::vector<std::string> unknown{};  // words that it lacks, each once; <unk> stands for them
  bool leaves_out = false;             // these are not shown, as of published captioners
};

// Reads the text as training reads captions. Throws UsageError where it has no words, and where the
// vocabulary, which is that of `model`, has none of them.
SaidWords said_words(const std::string& text, const Vocabulary& vocabulary,
                     const std::string& model);

// "soft does not know mauve; it reads <unk> there, ..."; empty where it knows all words.
std::string unknown_note(const SaidWords& said, const std::string& model);

}  // namespace saccade
