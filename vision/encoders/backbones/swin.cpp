#include "vision/encoders/backbones/swin.h"

#include <algorithm>
#include <optional>

#include "core/autograd/keep_value.h"
#include "core/nn/conv2d.h"
#include "core/nn/dense.h"
#include "core/nn/norms.h"
#include "core/ops/biased_attention.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {

namespace {

// The windows over a grid of tokens.
struct SwinWindows {
  Index side = 1, count = 1;  // windows of side x side cells
  std::vector<int> tokens{};  // the token in every cell of every window; -1: padding
  std::vector<int> cells{};   // the cell of every token, counted through all windows
  std::vector<int> parts{};   // of every cell, where windows hold what were no neighbours; or empty
};

Index multiple_above(Index extent, Index side) { return (extent + side - 1) / side * side; }

struct Axis {
  Index extent, padded, shift;
  // The token in a cell of the shifted and padded axis; -1: none.
  Index token(Index cell, bool shift_first) const {
    if (shift_first) return cell < extent ? (cell + shift) % extent : -1;
    const Index place = (cell + shift) % padded;
    return place < extent ? place : -1;
  }
  int part(Index cell, Index side) const {
    if (shift == 0 || cell < padded - side) return 0;
    return cell < padded - shift ? 1 : 2;
  }
};

SwinWindows windows_over(const GridSize& grid, Index side, bool shifted, const SwinPlan& plan) {
  const bool covered = std::min(grid.rows, grid.cols) <= side;
  const auto axis = [&](Index extent) {
    const bool moves = shifted && extent > side && !(plan.shift_both && covered);
    return Axis{extent, multiple_above(extent, side), moves ? side / 2 : 0};
  };
  const Axis down = axis(grid.rows), along = axis(grid.cols);
  SwinWindows out{.side = side, .count = down.padded / side * (along.padded / side)};
  out.cells.resize(static_cast<std::size_t>(grid.cells()));
  for (Index top = 0; top < down.padded; top += side)
    for (Index left = 0; left < along.padded; left += side)
      for (Index row = top; row < top + side; ++row)
        for (Index col = left; col < left + side; ++col) {
          const Index r = down.token(row, plan.shift_first), c = along.token(col, plan.shift_first);
          const Index token = r < 0 || c < 0 ? -1 : r * grid.cols + c;
          if (token >= 0)
            out.cells[static_cast<std::size_t>(token)] = static_cast<int>(out.tokens.size());
          out.tokens.push_back(static_cast<int>(token));
          if (down.shift > 0 || along.shift > 0)
            out.parts.push_back(3 * down.part(row, side) + along.part(col, side));
        }
  return out;
}

// Rows of x [B, L, D], chosen alike in every sample; -1 is a row of zeros. -> [B, n, D].
Var gathered(Tape& tape, Var x, std::span<const int> rows) {
  const Index batch = x.shape()[0], length = x.shape()[1], width = x.shape()[2];
  const View zero{tape.scratch(width), {1, width}};
  std::fill_n(zero.data, width, Real(0));
  const std::vector<Var> parts{ops::reshape(x, {batch * length, width}), tape.constant(zero)};
  std::vector<int> ids;
  for (Index b = 0; b < batch; ++b)
    for (const int row : rows)
      ids.push_back(static_cast<int>(row < 0 ? batch * length : b * length + row));
  return ops::reshape(ops::embedding(ops::concat_rows(parts), ids),
                      {batch, static_cast<Index>(rows.size()), width});
}

// The row of the table of biases for every pair of cells of a window.
std::vector<int> pair_rows(Index side) {
  std::vector<int> rows;
  const Index cells = side * side;
  for (Index t = 0; t < cells; ++t)
    for (Index s = 0; s < cells; ++s)
      rows.push_back(static_cast<int>((t / side - s / side + side - 1) * (2 * side - 1) + t % side -
                                      s % side + side - 1));
  return rows;
}

class SwinBlock {
 public:
  SwinBlock(const ParamScope& scope, const SwinPlan& plan, std::size_t stage, const GridSize& grid,
            bool shifted)
      : windows_(windows_over(grid, plan.windows[stage], shifted, plan)),
        pairs_(pair_rows(plan.windows[stage])),
        attention_norm_(scope.sub("norm1"), plan.widths[stage], plan.epsilon),
        dense_norm_(scope.sub("norm2"), plan.widths[stage], plan.epsilon),
        maps_(scope.sub("attn.qkv"), {plan.widths[stage], 3 * plan.widths[stage]}),
        output_(scope.sub("attn.proj"), {plan.widths[stage], plan.widths[stage]}),
        widen_(scope.sub("mlp.fc1"), {plan.widths[stage], plan.hidden[stage]}),
        narrow_(scope.sub("mlp.fc2"), {plan.hidden[stage], plan.widths[stage]}) {
    const Index reach = 2 * plan.windows[stage] - 1;
    table_ = scope.sub("attn").declare("relative_position_bias_table",
                                       {reach * reach, plan.heads[stage]}, Init::normal(0.02),
                                       Decay::kNo);
  }

  Var operator()(Tape& tape, Var x) const {
    const Index batch = x.shape()[0], width = x.shape()[2], cells = windows_.side * windows_.side;
    const Var windows = ops::reshape(gathered(tape, attention_norm_(tape, x), windows_.tokens),
                                     {batch * windows_.count, cells, width});
    const Var maps = maps_(tape, windows);
    const auto part = [&](Index k) { return ops::slice_cols(maps, k * width, width); };
    const Var bias = ops::embedding(tape.parameter(table_), pairs_);
    const Var seen =
        output_(tape, ops::biased_attention(part(0), part(1), part(2), bias, windows_.parts));
    const Var back =
        gathered(tape, ops::reshape(seen, {batch, windows_.count * cells, width}), windows_.cells);
    const Var y = ops::add(x, back);
    return ops::add(y, narrow_(tape, ops::gelu(widen_(tape, dense_norm_(tape, y)))));
  }

 private:
  SwinWindows windows_;
  std::vector<int> pairs_;
  LayerNorm attention_norm_, dense_norm_;
  Dense maps_, output_, widen_, narrow_;
  int table_;
};

// Makes one token of 2 x 2.
class SwinMerging {
 public:
  SwinMerging(const ParamScope& scope, const GridSize& grid, Index in, Index out, double epsilon)
      : norm_(scope.sub("norm"), 4 * in, epsilon),
        weight_(scope.sub("reduction").declare("weight", {4 * in, out}, Init::glorot(4 * in, out))),
        out_{(grid.rows + 1) / 2, (grid.cols + 1) / 2} {
    for (Index row = 0; row < out_.rows; ++row)
      for (Index col = 0; col < out_.cols; ++col)
        for (const auto& [r, c] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}}) {
          const Index from_row = 2 * row + r, from_col = 2 * col + c;
          const bool inside = from_row < grid.rows && from_col < grid.cols;
          tokens_.push_back(inside ? static_cast<int>(from_row * grid.cols + from_col) : -1);
        }
  }
  const GridSize& grid() const { return out_; }
  Var operator()(Tape& tape, Var x) const {
    const Shape shape{x.shape()[0], out_.cells(), 4 * x.shape()[2]};
    return ops::linear(norm_(tape, ops::reshape(gathered(tape, x, tokens_), shape)),
                       tape.parameter(weight_));
  }

 private:
  LayerNorm norm_;
  int weight_;
  GridSize out_;
  std::vector<int> tokens_;
};

}  // namespace

class SwinEmbedding {
 public:
  SwinEmbedding(const ParamScope& scope, const SwinPlan& plan)
      : cut_(scope.sub("proj"), {.in = 3,
                                 .out = plan.widths[0],
                                 .kernel = plan.patch,
                                 .stride = plan.patch,
                                 .padding = 0}) {
    if (plan.patch_norm) norm_.emplace(scope.sub("norm"), plan.widths[0], plan.epsilon);
  }
  // -> [B, rows, cols, D].
  Var operator()(Tape& tape, Var pixels) const {
    const Var patches = cut_(tape, pixels);
    return norm_ ? (*norm_)(tape, patches) : patches;
  }

 private:
  Conv2d cut_;
  std::optional<LayerNorm> norm_;
};

struct Swin::Stage {
  std::optional<SwinMerging> merging;
  std::vector<SwinBlock> blocks;
  GridSize grid;
};

Swin::~Swin() = default;

Swin::Swin(const SwinPlan& plan, const BackboneEnds& ends, const ImageSize& input,
           const ParamScope& scope)
    : Backbone("Swin", input) {
  if (ends.last_stage == LastStage::kDilated)
    throw UsageError("encoder.dilate: Swin has no strided convolutions; set it to false");
  if (input.height % plan.patch != 0 || input.width % plan.patch != 0)
    throw UsageError(str("the network of encoder.weights cuts pictures into patches of ",
                         plan.patch, " x ", plan.patch, " pixels, which do not divide ",
                         input.height, " x ", input.width,
                         "; set encoder.image_size and image_width to multiples of ", plan.patch));
  std::vector<BackboneStage> names;
  for (std::size_t s = 0; s < plan.depths.size(); ++s) {
    names.push_back(
        {.name = str("stage", s + 1), .prefixes = {str("layers.", s, ".")}, .grid = {}});
    if (s == 0) names.back().prefixes.emplace_back("patch_embed.");
  }
  const std::size_t count = this->plan(std::move(names), ends, {"norm."});
  embedding_ = std::make_unique<SwinEmbedding>(scope.sub("patch_embed"), plan);
  GridSize grid{.rows = input.height / plan.patch, .cols = input.width / plan.patch};
  for (std::size_t s = 0; s < count; ++s) {
    const ParamScope own = scope.sub(str("layers.", s));
    auto stage = std::make_unique<Stage>();
    if (s > 0) {
      stage->merging.emplace(own.sub("downsample"), grid, plan.widths[s - 1], plan.widths[s],
                             plan.epsilon);
      grid = stage->merging->grid();
    }
    for (Index b = 0; b < plan.depths[s]; ++b)
      stage->blocks.emplace_back(own.sub(str("blocks.", b)), plan, s, grid, b % 2 == 1);
    stage->grid = grid;
    stages_.push_back(std::move(stage));
    set_whole_grid(s, {grid, plan.widths[s]});
  }
  if (count == plan.depths.size())
    norm_ = std::make_unique<LayerNorm>(scope.sub("norm"), plan.widths.back(), plan.epsilon);
}

std::vector<Var> Swin::run(Tape& tape, Var pixels) const {
  std::vector<Var> results;
  const auto grid_of = [](Var tokens, const GridSize& grid) {
    return ops::reshape(tokens, {tokens.shape()[0], grid.rows, grid.cols, tokens.shape()[2]});
  };
  Var x = keep_value(tape, [&] {
    const Var patches = (*embedding_)(tape, pixels);
    const Shape shape = patches.shape();
    return ops::reshape(patches, {shape[0], shape[1] * shape[2], shape[3]});
  });
  for (const auto& stage : stages_) {
    if (stage->merging) x = keep_value(tape, [&] { return (*stage->merging)(tape, x); });
    x = keep_last(tape, x, stage->blocks.size(),
                  [&](std::size_t b, Var in) { return stage->blocks[b](tape, in); });
    const bool last = norm_ && stage == stages_.back();
    results.push_back(grid_of(last ? (*norm_)(tape, x) : x, stage->grid));
  }
  return results;
}

}  // namespace saccade
