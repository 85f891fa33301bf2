// Refines the regions of a grid by attention among themselves, before a decoder looks at them.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/sequence/sequence_attention.h"
#include "core/config/refinement_config.h"
#include "core/nn/dense.h"
#include "core/nn/grid_positions.h"
#include "core/nn/norms.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The mechanism of the options for layer 0, 1, ... over the cells of a grid. Throws UsageError on
// options that do not fit the grid.
std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const RefinementConfig& options,
                                                           const GridExtents& grid, Index layer);

// y = x + attention(layer_norm(x)), then y + W_2 relu(W_1 layer_norm(y)) with W_1 to twice the
// width (pre-norm, Xiong et al. 2020). Declares attention, attention_norm, widen, narrow,
// dense_norm.
class RefinementBlock {
 public:
  // make(scope) declares the attention in the scope it is given.
  template <class Make>
  RefinementBlock(const ParamScope& scope, Index features, Make make)
      : attention_(make(scope.sub("attention"))),
        attention_norm_(scope.sub("attention_norm"), features),
        dense_norm_(scope.sub("dense_norm"), features),
        widen_(scope.sub("widen"), {features, 2 * features}),
        narrow_(scope.sub("narrow"), {2 * features, features}) {}

  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const;  // [B, L, D] -> as x
  // What the attention of this block weighs when x comes in; see SequenceAttention::weights.
  ConstView weights(Tape& tape, Var x, const AttentionMask& mask) const;

 private:
  std::unique_ptr<SequenceAttention> attention_;
  LayerNorm attention_norm_, dense_norm_;
  Dense widen_, narrow_;
};

// `layers` blocks one after the other, in scopes 0, 1, ...
class Refinement {
 public:
  Refinement(const ParamScope& scope, const RefinementConfig& options, const GridExtents& grid);
  Var operator()(Tape& tape, Var x, const AttentionMask& mask) const;  // [B, L, D] -> as x
  const std::vector<RefinementBlock>& blocks() const { return blocks_; }

 private:
  std::vector<RefinementBlock> blocks_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
