// One block of the transformer decoder: self-attention among the words, cross-attention to the
// image and the dense network, each with a residual connection (Vaswani et al. 2017, section 3.1).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "captioning/model/decoders/image_entry.h"
#include "core/attention/sequence/sequence_attention.h"
#include "core/attention/sequence/transformer_block.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The options of a block of this decoder.
TransformerBlockOptions block_options(const DecoderConfig& config);

// Declares words and words_norm; cross (any attention of the algebra), cross_output (which makes
// its context as wide as the words) and cross_norm; widen, narrow and dense_norm. Where words have
// no context, there are no cross, cross_output and cross_norm.
class TransformerLayer {
 public:
  // Layer 0, 1, ...
  TransformerLayer(const ParamScope& scope, const DecoderParts& parts, Index layer);

  const Attention& cross() const { return *cross_; }
  // The input of self-attention, from the words x [B, T, D]. It has their shape.
  Var enter(Tape& tape, Var x) const { return words_residual_.enter(tape, x); }
  // The widths of what is kept of such inputs (SequenceAttention::causal_widths), and the vectors.
  // words() of these words and of later ones reads them.
  std::vector<Index> kept_widths() const { return words_->causal_widths(); }
  std::vector<Var> kept(Tape& tape, Var entered) const { return words_->kept(tape, entered); }
  // x after self-attention of `entered`, the last of the kept words, to itself and to those before
  // it.
  Var words(Tape& tape, Var x, Var entered, std::span<const Var> kept) const;
  // The weights that self-attention of `entered` gives to the kept words, [B, H, T, S].
  ConstView word_weights(Tape& tape, Var entered, std::span<const Var> kept) const {
    return words_->causal_weights(tape, entered, kept);
  }
  // Vectors x [B, L, D] that stand before the words, as the next layer gets them: they attend to
  // each other.
  Var before_words(Tape& tape, Var x) const;
  // The queries of cross-attention: x [B, T, D] -> [B T, D].
  Var query(Tape& tape, Var x) const;
  // x [B, T, D] after adding the context [B T, C] of cross-attention, if there is one, and the
  // dense network.
  Var finish(Tape& tape, Var x, Var context) const;

 private:
  std::unique_ptr<SequenceAttention> words_;
  Residual words_residual_;
  std::unique_ptr<Attention> cross_;
  std::optional<Dense> cross_output_;
  std::optional<Residual> cross_residual_;
  PositionNetwork dense_;
  Residual dense_residual_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
