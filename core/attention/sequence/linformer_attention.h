// Multi-head attention to a few learned mixtures of the positions (Wang et al. 2020, "Linformer").
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct LinformerExtents {
  Index most = 0;       // the longest sequence; shorter ones use the first rows of E and F
  Index projected = 0;  // mixtures of keys and of values
};

// head = softmax(Q (E' x W_k)' / sqrt(d)) F' x W_v (eq. 7; E and F are shared by the heads).
// Declares query, key, value, output, and key_mixtures E, value_mixtures F [most, projected],
// normal of variance 1 / projected as the paper's theorem 2. Masks: all keys, lengths.
class LinformerAttention : public SequenceAttention {
 public:
  // Throws UsageError if the heads do not divide the features or extents are not positive.
  LinformerAttention(const ParamScope& scope, const SequenceWidths& widths,
                     const LinformerExtents& extents);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  // [B, H, L, projected]: weights of the mixtures, which stand for no single position.
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;

 private:
  Var mixtures(Tape& tape, Var x, int map, const AttentionMask& mask) const;
  Index heads_;
  Dense query_, key_, value_, output_;
  int key_mixtures_, value_mixtures_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
