#include "core/attention/sequence/make_sequence_attention.h"

#include "core/attention/sequence/differential_attention.h"
#include "core/attention/sequence/geometry_attention.h"
#include "core/attention/sequence/graph_attention.h"
#include "core/attention/sequence/linear_attention.h"
#include "core/attention/sequence/linformer_attention.h"
#include "core/attention/sequence/multi_head_attention.h"
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

using Made = std::unique_ptr<SequenceAttention>;

}  // namespace

struct SequenceParts {
  const ParamScope& scope;
  const BlockAttention& options;
  SequenceWidths widths;
  Window window;
  Index mixed = 0;  // the number of positions that Linformer mixes
  GraphAttention::Graph graph;
  Index layer = 0;
  BlockPlaces places{};
};

const Registry<SequenceMechanism>& sequence_attentions() {
  static const Registry<SequenceMechanism> rows(
      "encoder.refine.type",
      {
          {{"self_attention", "softmax(Q K' / sqrt(d)) V in heads", "Vaswani et al. 2017", "L^2 D",
            "heads"},
           {.make = [](const SequenceParts& p) -> Made {
              return std::make_unique<MultiHeadAttention>(p.scope, p.widths);
            },
            .compares_all = true}},
          {{"window", "the same among neighbours within a radius, and global positions",
            "Beltagy et al. 2020", "L (radius + globals) D", "heads, radius, globals"},
           {.make = [](const SequenceParts& p) -> Made {
             return std::make_unique<WindowAttention>(p.scope, p.widths, p.window);
           }}},
          {{"linear", "phi(Q) (phi(K)' V) / phi(Q) sum phi(K), phi = elu + 1",
            "Katharopoulos et al. 2020", "L D^2 / heads", "heads"},
           {.make = [](const SequenceParts& p) -> Made {
             return std::make_unique<LinearAttention>(p.scope, p.widths);
           }}},
          {{"linformer",
            "softmax(Q K' / sqrt(d)) V, K and V made of learned mixtures E' X and F' X of the "
            "positions",
            "Wang et al. 2020", "L projected D", "heads, projected"},
           {.make = [](const SequenceParts& p) -> Made {
              return std::make_unique<LinformerAttention>(
                  p.scope, p.widths,
                  LinformerExtents{.most = p.mixed, .projected = p.options.projected});
            },
            .weighs_positions = false}},
          {{"differential",
            "(1 - l0) norm((softmax(Q1 K1' / sqrt(d)) - lambda softmax(Q2 K2' / sqrt(d))) V), "
            "normalised per head",
            "Ye et al. 2024", "L^2 D", "heads"},
           {.make = [](const SequenceParts& p) -> Made {
              return std::make_unique<DifferentialAttention>(p.scope, p.widths,
                                                             differential_initial(p.layer));
            },
            .compares_all = true,
            .shares = false,
            .maps = {"_1", "_2"}}},
          {{"graph", "softmax(LeakyReLU(a' [W x_i, W x_j])) W x_j along edges",
            "Velickovic et al. 2018", "edges D", "heads, neighbours, nearest"},
           {.make = [](const SequenceParts& p) -> Made {
              return std::make_unique<GraphAttention>(p.scope, p.widths, p.graph);
            },
            .maps = {}}},
          {{"geometry",
            "softmax(Q K' / sqrt(d) + log max(w, 1e-6)) V in heads, w learned of how two boxes lie "
            "to each other",
            "Herdade et al. 2019", "L^2 D", "heads"},
           {.make = [](const SequenceParts& p) -> Made {
              return std::make_unique<GeometryAttention>(p.scope, p.widths, p.places);
            },
            .compares_all = true}},
      });
  return rows;
}

std::unique_ptr<SequenceAttention> make_sequence_attention(const ParamScope& scope,
                                                           const BlockAttention& options,
                                                           const SequenceWidths& widths,
                                                           const BlockPlaces& places, Index layer) {
  GraphAttention::Graph graph;
  if (options.type == "graph") graph = make_graph(options, places);
  return sequence_attentions()
      .at(options.type)
      .make({.scope = scope,
             .options = options,
             .widths = widths,
             .window = {.radius = options.radius, .global = places.placeless + options.globals},
             .mixed = places.positions(),
             .graph = std::move(graph),
             .layer = layer,
             .places = places});
}

void check_causal(const BlockAttention& options) {
  if (options.type == "linformer")
    throw UsageError(str(options.path,
                         ".type linformer mixes all positions of a sequence, also the words that "
                         "are not written yet; choose self_attention, window, linear, differential "
                         "or graph"));
  if (options.type == "geometry")
    throw UsageError(str(options.path,
                         ".type geometry goes by the boxes of regions, and words have none; choose "
                         "self_attention, window, linear, differential or graph"));
  if (options.type == "graph" &&
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
  return sequence_attentions()
      .at(options.type)
      .make({.scope = scope,
             .options = options,
             .widths = widths,
             .window = {.radius = options.radius, .global = options.globals},
             .graph = NearestGraph{.count = options.nearest, .likeness = likeness},
             .layer = layer});
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
