// Vectors for the words of a vocabulary, to start the decoder's embedding with: from a file that
// others trained, or from which captions a word stands in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "captioning/text/vocabulary.h"

namespace saccade {

struct WordVectors {
  Index width = 0;
  std::vector<float> values;  // [V, width], zeros for words without a vector
  std::vector<char> found;    // [V]
  Index count() const;        // words with a vector, of
  Index words() const { return static_cast<Index>(found.size()) - Vocabulary::kSpecials; }
};

// From a text file, a word and its numbers a line (GloVe), or with a first line `count width`
// (word2vec). Words may hold spaces; the first of equal ones counts. Throws DataError where the
// file cannot be read, DataError naming the line where it is no such file or `width` (any for 0) is
// another.
WordVectors read_word_vectors(const std::filesystem::path& file, const Vocabulary& vocabulary,
                              Index width);

// Latent semantic analysis (Deerwester et al. 1990): documents are captions, a word's weight in one
// is its count times log(captions / captions with it), and its vector the row of U S of the
// matrix's truncated SVD, all scaled to a root mean square of 0.1. captions: ids without <bos> and
// <eos>. Numbers beyond the matrix's rank are 0.
WordVectors tfidf_vectors(std::span<const std::vector<Index>> captions,
                          const Vocabulary& vocabulary, Index width, std::uint64_t seed);

}  // namespace saccade
