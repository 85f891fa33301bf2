// What all decoders are made from, and their output layer.
#pragma once

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/decoders/decoder_config.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "core/attention/attention_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct DecoderParts {
  const DecoderConfig& config;
  const AttentionConfig& attention;
  DecoderWidths widths;
  ParamScope scope;
};

// Each declares a matrix [in, out] (initialised as in Glorot and Bengio 2010) or a bias [width] (of
// zeros).
int declare_matrix(const ParamScope& scope, const std::string& name, Index in, Index out);
int declare_bias(const ParamScope& scope, const std::string& name, Index width);

// Makes logits from vectors: x W + b, where W may be the transposed embeddings (Press and Wolf
// 2017). Declares vocabulary [in, V] unless it is tied, and vocabulary_bias [V].
class WordOutput {
 public:
  // `embedding` is the parameter [V, in] with which the decoder embeds words.
  WordOutput(const ParamScope& scope, const DecoderParts& parts, Index in, int embedding);
  Var operator()(Tape& tape, Var x) const;  // [n, in] -> [n, V]
  // The parameter [in, V]; -1 where it is tied to the embedding.
  int word_matrix() const { return tied_ ? -1 : weight_; }
  int word_bias() const { return bias_; }

 private:
  bool tied_;
  int weight_, bias_;
};

// -log p of the targets [N] at the captions' temperature, from the logits [N, V].
Var word_costs(Var logits, const PackedCaptions& captions);

// Throws UsageError, with the reason, where a decoder and an attention do not go together.
void check_decoder(const DecoderConfig& config, const AttentionConfig& attention);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
