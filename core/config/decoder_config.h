// The section `decoder`: from features to words.
#pragma once

#include <cstdint>

#include "core/config/choices.h"
#include "core/config/constraint.h"
#include "core/config/embeddings_config.h"

namespace saccade {

struct DecoderConfig {
  DecoderKind type = DecoderKind::kLstm;
  std::int64_t hidden = 512;
  std::int64_t embedding = 512;
  double dropout = 0.5;
  std::int64_t init_hidden = 512;
  EmbeddingsConfig embeddings = {};

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the word decoder");
    v.field("hidden", hidden, "width of the recurrent state", between(1, 65536));
    v.field("embedding", embedding, "width of a word's embedding", between(1, 65536));
    v.field("dropout", dropout, "share of units dropped in training", between_open_end(0, 1));
    v.field("init_hidden", init_hidden, "hidden width of the networks that start the state",
            between(1, 65536));
    v.section("embeddings", embeddings, "the first vectors of the words");
  }
};

}  // namespace saccade
