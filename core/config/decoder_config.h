// The section `decoder`: from features to words.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"
#include "core/config/constraint.h"
#include "core/config/embeddings_config.h"
#include "core/config/norm_placement.h"

namespace saccade {

// One enumerator a line of the registry.
enum class DecoderKind {
#define SACCADE_DECODER(name, enumerator, ...) enumerator,
#include "core/config/decoders.def"
#undef SACCADE_DECODER
};
constexpr auto enum_table(DecoderKind) {
  using enum DecoderKind;
  return enum_rows<DecoderKind>({
#define SACCADE_DECODER(name, enumerator, text, ...) {enumerator, #name, text},
#include "core/config/decoders.def"
#undef SACCADE_DECODER
  });
}

enum class WordPositions { kSinusoidal, kLearned };
constexpr auto enum_table(WordPositions) {
  using enum WordPositions;
  return enum_rows<WordPositions>({
      {kSinusoidal, "sinusoidal", "sines and cosines of the word's number"},
      {kLearned, "learned", "a learned vector a number"},
  });
}

struct DecoderConfig {
  DecoderKind type = DecoderKind::kLstm;
  std::int64_t hidden = 512;
  std::int64_t embedding = 512;
  double dropout = 0.5;
  std::int64_t init_hidden = 512;
  bool tie_embeddings = false;
  std::int64_t layers = 3;
  std::int64_t heads = 8;
  std::int64_t widen = 4;
  NormPlacement norm = NormPlacement::kPre;
  WordPositions positions = WordPositions::kSinusoidal;
  std::int64_t longest = 128;
  EmbeddingsConfig embeddings = {};

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the word decoder");
    v.field("hidden", hidden, "width of the state; of the transformer's vectors",
            between(1, 65536));
    v.field("embedding", embedding, "width of a word's embedding", between(1, 65536));
    v.field("dropout", dropout, "share of units dropped in training", between_open_end(0, 1));
    v.field("init_hidden", init_hidden, "hidden width of the networks that start the state",
            between(1, 65536))
        .unless("decoder.type", DecoderKind::kUpdown, DecoderKind::kTransformer);
    v.field("tie_embeddings", tie_embeddings, "words are said with the matrix that reads them");
    v.field("layers", layers, "blocks, one after the other", between(1, 64))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("heads", heads,
            "maps a word over the words before it (attention.heads look at the image)",
            between(1, 256))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("widen", widen, "hidden width of the dense networks, in `hidden`", between(1, 64))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("norm", norm, "where the layers normalise")
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("positions", positions, "how words know their number")
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("longest", longest, "words with <eos> that positions reach", between(1, 65536))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.section("embeddings", embeddings, "the first vectors of the words");
  }
};

}  // namespace saccade
