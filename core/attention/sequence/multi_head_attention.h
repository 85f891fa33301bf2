// Multi-head attention (Vaswani et al. 2017, section 3.2.2): of a sequence to itself, to keys that
// were computed once from another sequence, or one query at a time to the keys so far.
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What is kept of a memory: it is computed once and read by any number of queries.
struct SequenceKeys {
  Var keys, values;  // [B, S, D]

  // The same keys as constants of another tape, for decoding step by step. The first tape must
  // outlive them.
  SequenceKeys on(Tape& tape) const;
};

// The keys of a sequence that grows by one position per step. They live outside any tape.
class KeyCache {
 public:
  // Room for `most` positions of `rows` sequences.
  KeyCache(Index rows, Index most, Index features);
  Index length() const { return length_; }
  // Row r continues the sequence that row parents[r] held (beam search).
  void reorder(std::span<const int> parents);

 private:
  friend class MultiHeadAttention;
  Tensor keys_, values_;  // [rows, most, D]
  Index length_ = 0;
};

// out = [head_1 .. head_H] W_o + b_o with head_h = softmax(Q_h K_h' / sqrt(d)) V_h and Q = x W_q +
// b_q; K and V are made from the memory in the same way. Declares query, key, value and output.
class MultiHeadAttention : public SequenceAttention {
 public:
  // The memory's features are as wide as the queries, unless `memory_features` gives their width.
  // Throws UsageError if the heads do not divide the features.
  MultiHeadAttention(const ParamScope& scope, const SequenceWidths& widths,
                     Index memory_features = 0);

  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;

  // Keys and values are kept.
  std::vector<Index> causal_widths() const override { return {features_, features_}; }
  std::vector<Var> kept(Tape& tape, Var x) const override;
  Var attend_causally(Tape& tape, Var x, std::span<const Var> kept) const override;
  ConstView causal_weights(Tape& tape, Var x, std::span<const Var> kept) const override;

  SequenceKeys prepare(Tape& tape, Var memory) const;  // memory [B, S, memory_features]
  // x [B, T, D] -> [B, T, D]. The hypotheses of a beam are T queries to the memory of their image.
  Var attend(Tape& tape, Var x, const SequenceKeys& keys, const AttentionMask& mask) const;
  ConstView weights(Tape& tape, Var x, const SequenceKeys& keys, const AttentionMask& mask) const;

  // The next position of every sequence: appends its key and value to the cache and attends to all
  // positions so far, as the last row of causal self-attention does. x [R, D] -> [R, D], for the
  // first R rows of the cache; the tape must not record. Throws ShapeError when the cache is full.
  Var step(Tape& tape, Var x, KeyCache& cache) const;

 private:
  Index features_, heads_;
  Dense query_, key_, value_, output_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
