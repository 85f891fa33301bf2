// One block of the transformer decoder: attention among the words, a look at the image, the dense
// network, each with its residual (Vaswani et al. 2017, section 3.1).
#pragma once

#include <memory>
#include <optional>

#include "captioning/decoders/image_entry.h"
#include "core/attention/sequence/multi_head_attention.h"
#include "core/attention/sequence/transformer_block.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares words and words_norm, cross (an attention of the algebra), cross_output (what makes its
// context as wide as the words) and cross_norm, widen, narrow and dense_norm. Without cross,
// cross_output and cross_norm where words are given nothing of the image.
class TransformerLayer {
 public:
  TransformerLayer(const ParamScope& scope, const DecoderParts& parts);

  const Attention& cross() const { return *cross_; }
  // What of words x [B, T, D] attention among them reads, as x.
  Var enter(Tape& tape, Var x) const { return words_residual_.enter(tape, x); }
  // The keys and values of words entered, for words() of these and of later ones.
  SequenceKeys keys(Tape& tape, Var entered) const { return words_.prepare(tape, entered); }
  // x after `entered` looked at the words of `keys` that the mask permits.
  Var words(Tape& tape, Var x, Var entered, const SequenceKeys& keys,
            const AttentionMask& mask) const;
  // The weights with which `entered` looks at the words of `keys`, [B, H, T, S].
  ConstView word_weights(Tape& tape, Var entered, const SequenceKeys& keys) const {
    return words_.weights(tape, entered, keys, {});
  }
  // What the image is asked: x [B, T, D] -> [B T, D].
  Var query(Tape& tape, Var x) const;
  // x [B, T, D] after the context [B T, C] of its look, or none, and the dense network.
  Var see(Tape& tape, Var x, Var context) const;

 private:
  MultiHeadAttention words_;
  Residual words_residual_;
  std::unique_ptr<Attention> cross_;
  std::optional<Dense> cross_output_;
  std::optional<Residual> cross_residual_;
  PositionNetwork dense_;
  Residual dense_residual_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
