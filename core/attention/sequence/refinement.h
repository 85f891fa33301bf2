// Refines the regions of a grid by attention among themselves, before a decoder attends to them.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/sequence/transformer_block.h"
#include "core/config/refinement_config.h"
#include "core/nn/grid_positions.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The mechanism of the options for layer 0, 1, ... over the cells of a grid. Throws UsageError on
// options that do not fit the grid.
std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const RefinementConfig& options,
                                                           const GridExtents& grid, Index layer);

// `layers` pre-norm blocks with relu and a dense network of twice the width, one after the other,
// in scopes 0, 1, ...
class Refinement {
 public:
  Refinement(const ParamScope& scope, const RefinementConfig& options, const GridExtents& grid);
  // [B, L, D] -> as x.
  Var operator()(Tape& tape, Var x, const AttentionMask& mask, const WatchBlock& watch = {}) const;

 private:
  std::vector<TransformerBlock> blocks_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
