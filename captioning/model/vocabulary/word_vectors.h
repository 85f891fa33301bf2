// Vectors for the words of a vocabulary, with which the decoder's embedding starts: from a file
// that others trained, or from the captions in which a word occurs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/vocabulary/vocabulary.h"

namespace saccade {

struct WordVectors {
  Index width = 0;
  std::vector<float> values;  // [V, width], zeros for words without a vector
  std::vector<char> found;    // [V]
  // How many more words the file has in upper case alone ("DOG", "Dog"), which are not taken.
  Index other_case = 0;
  Index count() const;  // the number of words with a vector
  Index words() const { return static_cast<Index>(found.size()) - Vocabulary::kSpecials; }
  // "; 3 more would have one if the file's words were in lower case, ..."; "" where none would.
  std::string case_remark() const;
  // Whether more than half of the words are without a vector.
  bool are_few() const { return 2 * count() < words(); }
};

// Reads a text file with a word and its numbers per line (GloVe), possibly after a line `count
// width` (word2vec). Words may hold spaces; the first of equal ones counts. Throws DataError where
// the file cannot be read, DataError that says what it is where it is compressed or binary, and
// DataError that names the line where it is no such file or its width is not `width` (0: any).
WordVectors read_word_vectors(const std::filesystem::path& file, const Vocabulary& vocabulary,
                              Index width);

// Latent semantic analysis (Deerwester et al. 1990): documents are captions; the weight of a word
// in a caption is its count times log(captions / captions with it). The vector of a word is its row
// of U S, from the truncated SVD of that matrix, and all vectors are scaled to a root mean square
// of 0.1. captions: ids without <bos> and <eos>. Numbers beyond the matrix's rank are 0.
WordVectors tfidf_vectors(std::span<const std::vector<Index>> captions,
                          const Vocabulary& vocabulary, Index width, std::uint64_t seed);

}  // namespace saccade
