// Multi-head attention to a few learned mixtures of the positions (Wang et al. 2020, "Linformer").
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct LinformerExtents {
  Index most = 0;  // the length of the longest sequence; shorter ones use the first rows of E and F
  Index projected = 0;  // the number of mixtures of keys, and of values
};

// head = softmax(Q (E' x W_k)' / sqrt(d)) F' x W_v (eq. 7; the heads share E and F). Declares
// query, key, value, output, and key_mixtures E and value_mixtures F [most, projected], which start
// normal with variance 1 / projected, as in the paper's theorem 2. It takes masks of all keys and
// of lengths.
class LinformerAttention : public SequenceAttention {
 public:
  // Throws UsageError if the heads do not divide the features or extents are not positive.
  LinformerAttention(const ParamScope& scope, const SequenceWidths& widths,
                     const LinformerExtents& extents);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  // [B, H, L, projected]: the weights of the mixtures, none of which stands for a single position.
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;
  bool weighs_positions() const override { return false; }

 private:
  Var mixtures(Tape& tape, Var x, int map, const AttentionMask& mask) const;
  Index heads_;
  Dense query_, key_, value_, output_;
  int key_mixtures_, value_mixtures_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
