// The difference of two attention maps (Ye et al. 2024, "Differential Transformer", section 2.1).
#pragma once

#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"
#include "core/ops/differential.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// lambda_init of layer 0, 1, ...: 0.8 - 0.6 exp(-0.3 layer).
double differential_initial(Index layer);

//   head = (1 - lambda_init) rms_norm((softmax(Q1 K1' / sqrt(d)) - lambda softmax(Q2 K2' /
//   sqrt(d))) V)
// with V of width 2 d per head and lambda as in ops::differential; W_o follows. Declares query_1,
// query_2, key_1 and key_2 (half as wide), value, output, the norm's gain [2 d], which starts at 1,
// and lambda.query_1, .key_1, .query_2, .key_2 [d] (normal, 0.1). The heads share gain and lambda.
class DifferentialAttention : public SequenceAttention {
 public:
  // Throws UsageError if twice the heads do not divide the features.
  DifferentialAttention(const ParamScope& scope, const SequenceWidths& widths,
                        double lambda_initial);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const override;
  // The difference of the maps, whose rows sum to 1 - lambda and may hold negative numbers.
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const override;
  // The keys of both maps are kept, and the values.
  std::vector<Index> causal_widths() const override {
    return {features_ / 2, features_ / 2, features_};
  }
  std::vector<Var> kept(Tape& tape, Var x) const override;
  Var attend_causally(Tape& tape, Var x, std::span<const Var> kept) const override;
  ConstView causal_weights(Tape& tape, Var x, std::span<const Var> kept) const override;

 private:
  ops::LambdaVectors vectors(Tape& tape) const;
  // The result, from the contexts [B, T, D] of both maps.
  Var join(Tape& tape, Var first, Var second) const;
  // The weights of x on positions with the keys of both maps.
  ConstView difference(Tape& tape, Var x, std::span<const Var> keys,
                       const AttentionMask& mask) const;
  Index features_, heads_;
  double initial_;
  Dense query_1_, query_2_, key_1_, key_2_, value_, output_;
  int gain_, lambda_query_1_, lambda_key_1_, lambda_query_2_, lambda_key_2_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
