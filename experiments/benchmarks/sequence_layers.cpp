#include "experiments/benchmarks/sequence_layers.h"

#include <algorithm>

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// The layers until a cell of a grid has heard of every other one, where each hears of the cells
// around it: steps of a king in chess.
Index king_steps(const GridSize& grid) {
  return std::max<Index>(std::max(grid.rows, grid.cols) - 1, 1);
}

// Pairs of a cell and one of the 3 x 3 cells around it, itself included.
double neighbour_pairs(const GridSize& grid) {
  return static_cast<double>((3 * grid.rows - 2) * (3 * grid.cols - 2));
}

// Pairs of positions that are at most `radius` apart, each with itself included.
double window_pairs(Index length, Index radius) {
  const Index reach = std::min(radius, length - 1);
  return static_cast<double>(length + reach * (2 * length - reach - 1));
}

LayerCost attention_cost(const std::string& mechanism, const SequenceSizes& sizes) {
  const Index cells = sizes.grid.cells();
  const auto length = static_cast<double>(cells);
  const double width = SequenceSizes::kWidth, heads = SequenceSizes::kHeads,
               mixtures = SequenceSizes::kProjected;
  const double projections = 4 * length * width * width;  // of queries, keys, values and the output
  if (mechanism == "self_attention")
    return {.multiplications = projections + 2 * length * length * width};
  if (mechanism == "window")
    return {
        .multiplications = projections + 2 * window_pairs(cells, SequenceSizes::kRadius) * width,
        .path =
            std::max<Index>((cells - 1 + SequenceSizes::kRadius - 1) / SequenceSizes::kRadius, 1)};
  if (mechanism == "linear")
    return {.multiplications = projections + 2 * length * width * width / heads};
  if (mechanism == "linformer")  // keys and values are projected once they are mixed
    return {.multiplications =
                2 * (length + mixtures) * width * width + 4 * length * mixtures * width};
  if (mechanism == "differential")  // two maps of half the width, each times all values
    return {.multiplications = projections + 3 * length * length * width};
  if (mechanism == "graph")  // one projection, two numbers per position, and sums along edges
    return {.multiplications =
                length * width * width + 2 * length * width + neighbour_pairs(sizes.grid) * width,
            .path = king_steps(sizes.grid)};
  if (mechanism == "geometry")  // 64 numbers of every two boxes, and one of them for each head
    return {.multiplications =
                projections + 2 * length * length * width + length * length * 64 * heads};
  throw InternalError("no cost for this mechanism");
}

LayerCost plain_cost(PlainLayer kind, const SequenceSizes& sizes) {
  const Index cells = sizes.grid.cells();
  const double square = static_cast<double>(SequenceSizes::kWidth * SequenceSizes::kWidth);
  if (kind == PlainLayer::kConvolution)
    return {.multiplications = neighbour_pairs(sizes.grid) * square,
            .path = king_steps(sizes.grid)};
  return {.multiplications = 6 * static_cast<double>(cells) * square,
          .steps = cells,
          .path = std::max<Index>(cells - 1, 1)};
}

}  // namespace

std::vector<SequenceLayer> sequence_layers() {
  std::vector<SequenceLayer> out;
  for (const auto& mechanism : sequence_attentions().rows())
    out.push_back({.name = mechanism.name});
  out.push_back({"convolution", PlainLayer::kConvolution});
  out.push_back({"gru", PlainLayer::kGru});
  return out;
}

LayerCost cost_of(const SequenceLayer& layer, const SequenceSizes& sizes) {
  return layer.plain ? plain_cost(*layer.plain, sizes) : attention_cost(layer.name, sizes);
}

}  // namespace saccade
