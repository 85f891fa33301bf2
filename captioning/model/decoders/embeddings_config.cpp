#include "captioning/model/decoders/embeddings_config.h"

#include "core/config/fields.h"

namespace saccade {

void EmbeddingsConfig::fields(Section& v) {
  v.field("source", source, "where the initial word vectors come from");
  v.field("file", file, "the text file")
      .only_with("decoder.embeddings.source", EmbeddingSource::kFile)
      .is(Trait::kFile)
      .is(Trait::kNeeded);
  v.field("frozen", frozen, "training does not change the word vectors");
}

}  // namespace saccade
