// The section `decoder`: from features to words.
#pragma once

#include <cstdint>

#include "captioning/decoders/decoder_kind.h"
#include "captioning/decoders/embeddings_config.h"
#include "core/attention/sequence/norm_placement.h"
#include "core/base/enum_names.h"
#include "core/config/constraint.h"

namespace saccade {

enum class WordPositions { kSinusoidal, kLearned };
constexpr auto enum_table(WordPositions) {
  using enum WordPositions;
  return enum_rows<WordPositions>({
      {kSinusoidal, "sinusoidal", "sines and cosines of the word's position"},
      {kLearned, "learned", "one learned vector per position"},
  });
}

// How the image reaches the words (Tanti et al. 2018 compare such ways).
enum class ImageEntry { kAttention, kEveryWord, kFirstStep, kNone };
constexpr auto enum_table(ImageEntry) {
  using enum ImageEntry;
  return enum_rows<ImageEntry>({
      {kAttention, "attention",
       "every word attends to the regions, as the section `attention` says"},
      {kEveryWord, "every_word",
       "the pooled image (encoder.pooled) at every word, without a map or a gate; attention.score "
       "none is the same with a gate"},
      {kFirstStep, "first_step",
       "the pooled image once, as the input before <bos> (Vinyals et al. 2015, Show and Tell); "
       "states start at 0"},
      {kNone, "none",
       "nothing after the first state; without a first state, and in a transformer, the model is "
       "blind: a language model, the lowest baseline of a comparison"},
  });
}

enum class FirstState { kPooled, kNone };
constexpr auto enum_table(FirstState) {
  using enum FirstState;
  return enum_rows<FirstState>({
      {kPooled, "pooled", "computed from the image as a whole (encoder.pooled)"},
      {kNone, "none", "zeros: a caption gets the image only by `decoder.image`"},
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
  ImageEntry image = ImageEntry::kAttention;
  FirstState first_state = FirstState::kPooled;
  double image_dropout = 0;

  // attends(): whether words attend to regions. has_context(): whether every word gets the image in
  // some form.
  bool attends() const { return image == ImageEntry::kAttention; }
  bool has_context() const { return attends() || image == ImageEntry::kEveryWord; }

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the word decoder");
    v.field("hidden", hidden, "width of the state, or of the transformer's vectors",
            between(1, 65536));
    v.field("embedding", embedding, "width of a word's embedding", between(1, 65536));
    v.field("dropout", dropout, "share of units that are dropped in training",
            between_open_end(0, 1));
    v.field("init_hidden", init_hidden, "hidden width of the networks that compute the first state",
            between(1, 65536))
        .unless("decoder.type", DecoderKind::kUpdown, DecoderKind::kTransformer)
        .unless("decoder.image", ImageEntry::kFirstStep)
        .unless("decoder.first_state", FirstState::kNone);
    v.field("tie_embeddings", tie_embeddings,
            "the matrix of word embeddings is also the output layer");
    v.field("layers", layers, "number of blocks", between(1, 64))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("heads", heads,
            "maps per word over the words before it (attention.heads is for the image)",
            between(1, 256))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("widen", widen, "hidden width of the dense networks, as a multiple of `hidden`",
            between(1, 64))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("norm", norm, "where the layers normalise")
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("positions", positions, "how words know their position")
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.field("longest", longest, "largest number of words, including <eos>, that positions cover",
            between(1, 65536))
        .only_with("decoder.type", DecoderKind::kTransformer);
    v.section("embeddings", embeddings, "the initial word vectors");
    v.field("image", image, "how the image reaches the words");
    v.field("first_state", first_state,
            "the state before the first word; for updown, what its first LSTM reads at every word "
            "in addition to the words")
        .unless("decoder.type", DecoderKind::kTransformer)
        .unless("decoder.image", ImageEntry::kFirstStep);
    v.field("image_dropout", image_dropout,
            "share of training captions whose first state is computed from zeros instead of the "
            "image, so that their words have to attend to the regions",
            between_open_end(0, 1))
        .unless("decoder.type", DecoderKind::kTransformer)
        .only_with("decoder.image", ImageEntry::kAttention, ImageEntry::kEveryWord)
        .only_with("decoder.first_state", FirstState::kPooled);
  }
};

}  // namespace saccade
