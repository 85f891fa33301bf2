// The section `decoder`: from features to words.
#pragma once

#include <cstdint>
#include <string>

#include "core/attention/sequence/block_attention.h"
#include "core/attention/sequence/norm_placement.h"
#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class WordPositions { kSinusoidal, kLearned, kNone };
constexpr auto enum_table(WordPositions) {
  using enum WordPositions;
  return enum_rows<WordPositions>({
      {kSinusoidal, "sinusoidal", "sines and cosines of the word's position"},
      {kLearned, "learned", "one learned vector per position"},
      {kNone, "none",
       "nothing is added; words still see only those before them (after Haviv et al. 2022)"},
  });
}

// How the image reaches the words (Tanti et al. 2018 compare such ways).
enum class ImageEntry { kAttention, kAttentionAndPooled, kEveryWord, kFirstStep, kPrefix, kNone };
constexpr auto enum_table(ImageEntry) {
  using enum ImageEntry;
  return enum_rows<ImageEntry>({
      {kAttention, "attention",
       "every word attends to the regions, as the section `attention` says"},
      {kAttentionAndPooled, "attention_and_pooled",
       "the same, and to each context the pooled image g (encoder.pooled) is added: z + P g, where "
       "the learned matrix P starts as zero"},
      {kEveryWord, "every_word",
       "the pooled image (encoder.pooled) at every word, without a map or a gate; attention.score "
       "none is the same with a gate"},
      {kFirstStep, "first_step",
       "the pooled image once, as the input before <bos> (Vinyals et al. 2015, Show and Tell); "
       "states start at 0"},
      {kPrefix, "prefix",
       "the regions, behind a layer of their own, stand before the words in one self-attention, in "
       "which they attend to each other and words to them and to earlier words (transformer; Wang "
       "et al. 2022, GIT); the section `attention` is not read"},
      {kNone, "none",
       "nothing after the first state (updown has its mean, which every word reads, in place of "
       "one); without a first state, and in a transformer, the model is blind: a language model, "
       "the lowest baseline of a comparison"},
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

// What training leaves as it is.
enum class FrozenDecoder { kNone, kLanguage, kAll };
constexpr auto enum_table(FrozenDecoder) {
  using enum FrozenDecoder;
  return enum_rows<FrozenDecoder>({
      {kNone, "none", "nothing: the whole decoder learns"},
      {kLanguage, "language",
       "all but the attention to the image, with the layer and the norm that belong to it"},
      {kAll, "all", "the whole decoder, so that only the encoder learns"},
  });
}

// The activation of a transformer's dense networks.
enum class WordActivation { kRelu, kGelu, kTanhGelu };
constexpr auto enum_table(WordActivation) {
  using enum WordActivation;
  return enum_rows<WordActivation>({
      {kRelu, "relu", "max(x, 0)"},
      {kGelu, "gelu", "x Phi(x), exact, of BERT"},
      {kTanhGelu, "gelu_tanh", "gelu by a hyperbolic tangent, of GPT-2"},
  });
}

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

// The section `decoder.embeddings`: the initial word vectors of the decoder.
struct EmbeddingsConfig {
  EmbeddingSource source = EmbeddingSource::kRandom;
  std::string file;
  bool frozen = false;

  void fields(Section& v);
};

struct DecoderConfig {
  std::string type = "lstm";
  std::string weights = {};
  FrozenDecoder frozen = FrozenDecoder::kNone;
  std::int64_t hidden = 512;
  std::int64_t embedding = 512;
  double dropout = 0.5;
  std::int64_t init_hidden = 512;
  bool tie_embeddings = false;
  std::int64_t layers = 3;
  std::int64_t heads = 8;
  BlockAttention self_attention = {
      .path = "decoder.self_attention", .causal = true, .neighbours = NeighbourKind::kCosine};
  std::int64_t widen = 4;
  std::int64_t dense = 0;
  WordActivation activation = WordActivation::kRelu;
  NormPlacement norm = NormPlacement::kPre;
  double epsilon = 1e-5;
  bool scale_embeddings = true;
  bool embedding_norm = false;
  bool output_layer = false;
  WordPositions positions = WordPositions::kSinusoidal;
  std::int64_t longest = 128;
  EmbeddingsConfig embeddings = {};
  ImageEntry image = ImageEntry::kAttention;
  FirstState first_state = FirstState::kPooled;
  double image_dropout = 0;

  // attends(): whether words attend to regions by the section `attention`. has_context(): whether
  // every word gets the image in some form beside the words before it.
  bool attends() const {
    return image == ImageEntry::kAttention || image == ImageEntry::kAttentionAndPooled;
  }
  bool has_context() const { return attends() || image == ImageEntry::kEveryWord; }

  void fields(Section& v);
};

}  // namespace saccade
