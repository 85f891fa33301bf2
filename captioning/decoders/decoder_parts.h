// What every decoder is made from, and how it says words.
#pragma once

#include "captioning/decoders/decoder.h"
#include "core/config/attention_config.h"
#include "core/config/decoder_config.h"
#include "core/config/supervision_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct DecoderParts {
  const DecoderConfig& config;
  const AttentionConfig& attention;
  DecoderWidths widths;
  ParamScope scope;
};

// A matrix [in, out] (Glorot and Bengio 2010), a bias [width] (0 at first).
int declare_matrix(const ParamScope& scope, const std::string& name, Index in, Index out);
int declare_bias(const ParamScope& scope, const std::string& name, Index width);

// From vectors to logits: x W + b, where W may be the embeddings transposed (Press and Wolf 2017).
// Declares vocabulary [in, V] unless tied, vocabulary_bias [V].
class WordOutput {
 public:
  // `embedding` is the parameter [V, in] that the decoder reads words with.
  WordOutput(const ParamScope& scope, const DecoderParts& parts, Index in, int embedding);
  Var operator()(Tape& tape, Var x) const;  // [n, in] -> [n, V]

 private:
  bool tied_;
  int weight_, bias_;
};

// -log p of the targets [N] at the captions' temperature, from logits [N, V].
Var word_costs(Var logits, const PackedCaptions& captions);

// Throws UsageError, saying why, where a decoder and an attention do not go together.
void check_decoder(const DecoderConfig& config, const AttentionConfig& attention);
// The same where the words of training are looked at a second time (informed_look.h).
void check_informed_looks(const SupervisionConfig& supervision, const DecoderConfig& config,
                          const AttentionConfig& attention);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
