// A transformer's encoder block, and the parts that its decoder shares: the normalised residual
// connection around a layer, and the dense network at every position (Vaswani et al. 2017, sections
// 3.1 and 3.3; pre-norm: Xiong et al. 2020).
#pragma once

#include <functional>
#include <memory>

#include "core/attention/sequence/norm_placement.h"
#include "core/attention/sequence/sequence_attention.h"
#include "core/nn/dense.h"
#include "core/nn/norms.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// kSwiglu: silu(first half of W_1 x) * (second half), where W_1 is twice as wide (Shazeer 2020).
enum class DenseActivation { kRelu, kGelu, kQuickGelu, kTanhGelu, kSwiglu };

// activation(x), of any but kSwiglu, which takes two halves.
Var activated(Var x, DenseActivation activation);

struct TransformerBlockOptions {
  Index features = 0;  // D
  Index multiple = 4;  // hidden width of the dense network, as a multiple of D
  Index hidden = 0;    // the same as a number, where it is above 0
  DenseActivation activation = DenseActivation::kRelu;
  NormPlacement norm = NormPlacement::kPre;
  double dropout = 0;  // of what each layer adds, and of the dense network's hidden units
  double epsilon = 1e-5;
  bool scaled = false;  // whether a learned factor for each channel scales what each layer adds
};

// The residual connection around a layer f: x + dropout(s f(norm(x))), or norm(x + dropout(s
// f(x))). Declares the parameters of LayerNorm, and `scale`, s (initially 1), if the options ask
// for it.
class Residual {
 public:
  Residual(const ParamScope& scope, const TransformerBlockOptions& options);
  Var enter(Tape& tape, Var x) const;         // what f gets: [..., D] -> the shape of x
  Var leave(Tape& tape, Var x, Var y) const;  // the result, from x and y = f(enter(x))

 private:
  LayerNorm norm_;
  NormPlacement placement_;
  double dropout_;
  int scale_;  // -1: none
};

// W_2 dropout(activation(W_1 x + b_1)) + b_2. Declares widen and narrow.
class PositionNetwork {
 public:
  PositionNetwork(const ParamScope& scope, const TransformerBlockOptions& options);
  Var operator()(Tape& tape, Var x) const;  // [..., D] -> the shape of x

 private:
  Dense widen_, narrow_;
  DenseActivation activation_;
  Index hidden_;
  double dropout_;
};

// Attention among the positions, then the dense network at each, both with residual connections.
// Declares attention, attention_norm, dense_norm, widen and narrow.
class TransformerBlock {
 public:
  // make(scope) declares the attention in the scope that it is given.
  template <class Make>
  TransformerBlock(const ParamScope& scope, const TransformerBlockOptions& options, Make make)
      : attention_(make(scope.sub("attention"))),
        attention_residual_(scope.sub("attention_norm"), options),
        dense_residual_(scope.sub("dense_norm"), options),
        dense_(scope, options) {}

  Var operator()(Tape& tape, Var x,
                 const AttentionMask& mask) const;  // [B, L, D] -> the shape of x
  // The weights of this block's attention for the input x; see SequenceAttention::weights.
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const;
  bool weighs_positions() const { return attention_->weighs_positions(); }

 private:
  std::unique_ptr<SequenceAttention> attention_;
  Residual attention_residual_, dense_residual_;
  PositionNetwork dense_;
};

// Called for every block before it runs, with the block's input and mask.
using WatchBlock =
    std::function<void(const TransformerBlock& block, Var x, const AttentionMask& mask)>;

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
