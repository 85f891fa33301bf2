// Multi-head attention (Vaswani et al. 2017, section 3.2.2): over one sequence, over another one's
// keys made once, or a query at a time against the keys so far.
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What is kept of a memory: made once, read by any number of queries.
struct SequenceKeys {
  Var keys, values;  // [B, S, D]

  // The same as constants of another tape, for step-wise decoding. The first tape must live.
  SequenceKeys on(Tape& tape) const;
};

// The keys of a sequence that grows by one position per step, outside any tape.
class KeyCache {
 public:
  // Room for `most` positions of `rows` sequences.
  KeyCache(Index rows, Index most, Index features);
  Index length() const { return length_; }
  // Row r goes on from what row parents[r] held (beam search).
  void reorder(std::span<const int> parents);

 private:
  friend class MultiHeadAttention;
  Tensor keys_, values_;  // [rows, most, D]
  Index length_ = 0;
};

// out = [head_1 .. head_H] W_o + b_o, head_h = softmax(Q_h K_h' / sqrt(d)) V_h with
// Q = x W_q + b_q and K, V likewise of the memory. Declares query, key, value, output.
class MultiHeadAttention : public SequenceAttention {
 public:
  // The memory's features are as wide as the queries' unless `memory_features` says otherwise.
  // Throws UsageError if the heads do not divide the features.
  MultiHeadAttention(const ParamScope& scope, const SequenceWidths& widths,
                     Index memory_features = 0);

  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;

  SequenceKeys prepare(Tape& tape, Var memory) const;  // [B, S, memory_features]
  // x [B, T, D] -> [B, T, D]. Beams of one image are T queries of its memory.
  Var attend(Tape& tape, Var x, const SequenceKeys& keys, const AttentionMask& mask) const;
  ConstView weights(Tape& tape, Var x, const SequenceKeys& keys, const AttentionMask& mask) const;

  // The next position of every sequence: appends its key and value to the cache and attends to all
  // so far, as the last row of causal self-attention. x [R, D] -> [R, D] for the cache's first R
  // rows; on a tape that does not record. Throws ShapeError when the cache is full.
  Var step(Tape& tape, Var x, KeyCache& cache) const;

 private:
  Index heads_;
  Dense query_, key_, value_, output_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
