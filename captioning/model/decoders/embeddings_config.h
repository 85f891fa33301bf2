// The section `decoder.embeddings`: the initial word vectors of the decoder.
#pragma once

#include <string>

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class EmbeddingSource { kRandom, kTfidf, kFile };
constexpr auto enum_table(EmbeddingSource) {
  using enum EmbeddingSource;
  return enum_rows<EmbeddingSource>({
      {kRandom, "random", "random vectors"},
      {kTfidf, "tfidf",
       "from the training captions that a word occurs in: TF-IDF, reduced by an SVD"},
      {kFile, "file", "vectors of a GloVe or word2vec text file"},
  });
}

struct EmbeddingsConfig {
  EmbeddingSource source = EmbeddingSource::kRandom;
  std::string file;
  bool frozen = false;

  void fields(Section& v);
};

}  // namespace saccade
