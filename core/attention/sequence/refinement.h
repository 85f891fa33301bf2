// Refinement: the regions of a grid attend to each other, before a decoder attends to them.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/sequence/refinement_config.h"
#include "core/attention/sequence/transformer_block.h"
#include "core/nn/grid_positions.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Makes the mechanism of the options for layer 0, 1, ... over the cells of a grid. Throws
// UsageError for options that do not fit the grid.
std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const RefinementConfig& options,
                                                           const GridShape& grid, Index layer);

// `layers` blocks, one after the other, with relu and a dense network of twice the width.
// Their scopes are 0, 1, ...
class Refinement {
 public:
  Refinement(const ParamScope& scope, const RefinementConfig& options, const GridShape& grid);
  // x [B, L, D] -> the shape of x.
  Var operator()(Tape& tape, Var x, const AttentionMask& mask, const WatchBlock& watch = {}) const;

 private:
  std::vector<TransformerBlock> blocks_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
