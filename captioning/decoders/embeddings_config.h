// The section `decoder.embeddings`: the initial word vectors of the decoder.
#pragma once

#include <string>

#include "core/base/enum_names.h"
#include "core/config/constraint.h"
#include "core/config/fields.h"

namespace saccade {

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

  template <class V>
  void fields(V& v) {
    v.field("source", source, "where the initial word vectors come from");
    v.field("file", file, "the text file")
        .only_with("decoder.embeddings.source", EmbeddingSource::kFile)
        .is(Trait::kFile)
        .is(Trait::kNeeded);
    v.field("frozen", frozen, "training does not change the word vectors");
  }
};

}  // namespace saccade
