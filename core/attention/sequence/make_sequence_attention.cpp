#include "core/attention/sequence/make_sequence_attention.h"

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

// The lists of cells, behind positions that are joined to everything.
NeighbourLists behind(Index placeless, const NeighbourLists& cells) {
  if (placeless == 0) return cells;
  const auto count = static_cast<Index>(cells.starts.size()) - 1;
  NeighbourLists lists{.starts = {0}, .neighbours = {}};
  const auto append = [&](Index first, Index end) {
    for (Index s = first; s < end; ++s) lists.neighbours.push_back(static_cast<int>(s));
  };
  const auto close = [&] { lists.starts.push_back(static_cast<Index>(lists.neighbours.size())); };
  for (Index t = 0; t < placeless; ++t) {
    append(0, placeless + count);
    close();
  }
  for (std::size_t cell = 0; cell + 1 < cells.starts.size(); ++cell) {
    append(0, placeless);
    for (Index e = cells.starts[cell]; e < cells.starts[cell + 1]; ++e)
      lists.neighbours.push_back(cells.neighbours[static_cast<std::size_t>(e)] +
                                 static_cast<int>(placeless));
    close();
  }
  return lists;
}

GraphAttention::Graph make_graph(const BlockAttention& options, const BlockPlaces& places) {
  const GridShape& grid = places.grid;
  const auto nearest = [&](Likeness likeness) {
    const Index others = places.positions() - 1;
    if (options.nearest < 1 || options.nearest > others)
      throw UsageError(str(options.path, ".nearest ", options.nearest, ": a region of ", grid.rows,
                           " x ", grid.cols, " has ", others, " others",
                           places.placeless > 0 ? ", with the tokens that have no place" : "",
                           "; choose from 1 to that"));
    return NearestGraph{.count = options.nearest, .likeness = likeness};
  };
  switch (options.neighbours) {
    case NeighbourKind::kFour:
      return behind(places.placeless, grid_neighbours(grid, GridNeighbours::kFour));
    case NeighbourKind::kEight:
      return behind(places.placeless, grid_neighbours(grid, GridNeighbours::kEight));
    case NeighbourKind::kCosine:
      return nearest(Likeness::kCosine);
    case NeighbourKind::kEuclidean:
      return nearest(Likeness::kEuclidean);
  }
  throw InternalError("no graph for this kind of neighbours");
}

// A case for every mechanism. `mixed` is the number of positions that Linformer mixes.
std::unique_ptr<SequenceAttention> make(const ParamScope& scope, const BlockAttention& options,
                                        const SequenceWidths& widths, const Window& window,
                                        Index mixed, GraphAttention::Graph graph, Index layer) {
  switch (options.type) {
    case SequenceAttentionKind::kSelfAttention:
      return std::make_unique<MultiHeadAttention>(scope, widths);
    case SequenceAttentionKind::kWindow:
      return std::make_unique<WindowAttention>(scope, widths, window);
    case SequenceAttentionKind::kLinear:
      return std::make_unique<LinearAttention>(scope, widths);
    case SequenceAttentionKind::kLinformer:
      return std::make_unique<LinformerAttention>(
          scope, widths, LinformerExtents{.most = mixed, .projected = options.projected});
    case SequenceAttentionKind::kDifferential:
      return std::make_unique<DifferentialAttention>(scope, widths, differential_initial(layer));
    case SequenceAttentionKind::kGraph:
      return std::make_unique<GraphAttention>(scope, widths, std::move(graph));
  }
  throw InternalError("no case for this kind of attention");
}

}  // namespace

std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const BlockAttention& options,
                                                           const SequenceWidths& widths,
                                                           const BlockPlaces& places, Index layer) {
  GraphAttention::Graph graph;
  if (options.type == SequenceAttentionKind::kGraph) graph = make_graph(options, places);
  return make(scope, options, widths,
              {.radius = options.radius, .global = places.placeless + options.globals},
              places.positions(), std::move(graph), layer);
}

void check_causal(const BlockAttention& options) {
  if (options.type == SequenceAttentionKind::kLinformer)
    throw UsageError(str(options.path,
                         ".type linformer mixes all positions of a sequence, also the words that "
                         "are not written yet; choose self_attention, window, linear, differential "
                         "or graph"));
  if (options.type == SequenceAttentionKind::kGraph &&
      (options.neighbours == NeighbourKind::kFour || options.neighbours == NeighbourKind::kEight))
    throw UsageError(str(options.path, ".neighbours ", enum_name(options.neighbours),
                         " joins the cells of a grid, and words lie in none; choose cosine or "
                         "euclidean"));
}

std::unique_ptr<SequenceAttention> make_causal_attention(const ParamScope& scope,
                                                         const BlockAttention& options,
                                                         const SequenceWidths& widths,
                                                         Index layer) {
  check_causal(options);
  const Likeness likeness =
      options.neighbours == NeighbourKind::kCosine ? Likeness::kCosine : Likeness::kEuclidean;
  return make(scope, options, widths, {.radius = options.radius, .global = options.globals}, 0,
              NearestGraph{.count = options.nearest, .likeness = likeness}, layer);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
