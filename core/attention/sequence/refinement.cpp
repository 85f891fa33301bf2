#include "core/attention/sequence/refinement.h"

#include "core/attention/sequence/differential_attention.h"
#include "core/attention/sequence/graph_attention.h"
#include "core/attention/sequence/linear_attention.h"
#include "core/attention/sequence/linformer_attention.h"
#include "core/attention/sequence/multi_head_attention.h"
#include "core/attention/sequence/sequence_attention_kind.h"
#include "core/attention/sequence/window_attention.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

GraphAttention::Graph make_graph(const RefinementConfig& options, const GridShape& grid) {
  const auto nearest = [&](Likeness likeness) {
    if (options.nearest < 1 || options.nearest >= grid.cells())
      throw UsageError(str("encoder.refine.nearest ", options.nearest, ": a region of ", grid.rows,
                           " x ", grid.cols, " has ", grid.cells() - 1,
                           " others; choose from 1 to that"));
    return NearestGraph{.count = options.nearest, .likeness = likeness};
  };
  switch (options.neighbours) {
    case NeighbourKind::kFour:
      return grid_neighbours(grid, GridNeighbours::kFour);
    case NeighbourKind::kEight:
      return grid_neighbours(grid, GridNeighbours::kEight);
    case NeighbourKind::kCosine:
      return nearest(Likeness::kCosine);
    case NeighbourKind::kEuclidean:
      return nearest(Likeness::kEuclidean);
  }
  throw InternalError("no graph for this kind of neighbours");
}

}  // namespace

std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const RefinementConfig& options,
                                                           const GridShape& grid, Index layer) {
  const SequenceWidths widths{
      .features = grid.features, .heads = options.heads, .key = "encoder.refine.heads"};
  switch (options.type) {
    case SequenceAttentionKind::kSelfAttention:
      return std::make_unique<MultiHeadAttention>(scope, widths);
    case SequenceAttentionKind::kWindow:
      return std::make_unique<WindowAttention>(
          scope, widths, Window{.radius = options.radius, .global = options.globals});
    case SequenceAttentionKind::kLinear:
      return std::make_unique<LinearAttention>(scope, widths);
    case SequenceAttentionKind::kLinformer:
      return std::make_unique<LinformerAttention>(
          scope, widths, LinformerExtents{.most = grid.cells(), .projected = options.projected});
    case SequenceAttentionKind::kDifferential:
      return std::make_unique<DifferentialAttention>(scope, widths, differential_initial(layer));
    case SequenceAttentionKind::kGraph:
      return std::make_unique<GraphAttention>(scope, widths, make_graph(options, grid));
  }
  throw InternalError("no case for this kind of attention");
}

Refinement::Refinement(const ParamScope& scope, const RefinementConfig& options,
                       const GridShape& grid) {
  if (options.layers < 1)
    throw UsageError(str("a refinement needs at least one layer; got ", options.layers));
  for (Index layer = 0; layer < options.layers; ++layer)
    blocks_.emplace_back(
        scope.sub(std::to_string(layer)),
        TransformerBlockOptions{.features = grid.features, .multiple = 2},
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
