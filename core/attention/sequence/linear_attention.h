// Multi-head attention with phi(x) = elu(x) + 1 in place of the softmax (Katharopoulos et al.
// 2020).
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares query, key, value and output, as MultiHeadAttention does. Its cost is linear in the
// length. It takes masks of all keys, causal ones, and those that leave out keys of a sample.
class LinearAttention : public SequenceAttention {
 public:
  // Throws UsageError if the heads do not divide the features.
  LinearAttention(const ParamScope& scope, const SequenceWidths& widths);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;
  // Keys and values are kept.
  std::vector<Index> causal_widths() const override { return {features_, features_}; }
  std::vector<Var> kept(Tape& tape, Var x) const override;
  Var attend_causally(Tape& tape, Var x, std::span<const Var> kept) const override;
  ConstView causal_weights(Tape& tape, Var x, std::span<const Var> kept) const override;

 private:
  Index features_, heads_;
  Dense query_, key_, value_, output_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
