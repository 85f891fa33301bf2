#include "core/attention/sequence/refinement.h"

#include "core/attention/sequence/make_sequence_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const RefinementConfig& options,
                                                           const GridShape& grid, Index layer) {
  return make_sequence_attention(
      scope, options.attention(),
      {.features = grid.features, .heads = options.heads, .key = "encoder.refine.heads"},
      {.grid = grid}, layer);
}

Refinement::Refinement(const ParamScope& scope, const RefinementConfig& options,
                       const GridShape& grid) {
  if (options.layers < 1)
    throw UsageError(str("a refinement needs at least one layer; got ", options.layers));
  for (Index layer = 0; layer < options.layers; ++layer)
    blocks_.emplace_back(
        scope.sub(std::to_string(layer)),
        TransformerBlockOptions{.features = grid.features, .multiple = 2, .norm = options.norm},
        [&](const ParamScope& own) { return make_sequence_attention(own, options, grid, layer); });
}

Var Refinement::operator()(Tape& tape, Var x, const AttentionMask& mask,
                           const WatchBlock& watch) const {
  for (const TransformerBlock& block : blocks_) {
    if (watch) watch(block, x, mask);
    x = block(tape, x, mask);
  }
  return x;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
