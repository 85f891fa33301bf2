#include "core/nn/grid_positions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The coordinate on an axis, from -1 to 1; 0 if the axis has one cell.
double coordinate(Index i, Index count) {
  return count == 1 ? 0 : 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
}

Tensor coordinates(const GridShape& grid) {
  Tensor table({grid.cells(), 2});
  for (Index l = 0; l < table.shape()[0]; ++l) {
    table[2 * l] = static_cast<Real>(coordinate(l / grid.cols, grid.rows));
    table[2 * l + 1] = static_cast<Real>(coordinate(l % grid.cols, grid.cols));
  }
  return table;
}

Tensor grid_sinusoids(const GridShape& grid) {
  Tensor table({grid.cells(), grid.features});
  const Index waves = grid.features / 4;
  for (Index l = 0; l < table.shape()[0]; ++l)
    for (Index k = 0; k < waves; ++k) {
      const double frequency = std::pow(
          1e-4, static_cast<double>(k) / static_cast<double>(std::max(Index{1}, waves - 1)));
      const double row = frequency * static_cast<double>(l / grid.cols);
      const double column = frequency * static_cast<double>(l % grid.cols);
      Real* four = table.data() + l * grid.features + 4 * k;
      four[0] = static_cast<Real>(std::sin(row));
      four[1] = static_cast<Real>(std::cos(row));
      four[2] = static_cast<Real>(std::sin(column));
      four[3] = static_cast<Real>(std::cos(column));
    }
  return table;
}

// sin(p / 10000^(2i / d)) in channel 2i and the cosine in channel 2i + 1 of d channels.
void fill_wave(double position, Real* channels, Index count) {
  for (Index c = 0; c < count; ++c) {
    const double share = static_cast<double>(c - c % 2) / static_cast<double>(count);
    const double angle = position / std::pow(1e4, share);
    channels[c] = static_cast<Real>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
}

Tensor sinusoids_2d(const GridShape& grid) {
  Tensor table({grid.cells(), grid.features});
  const Index of_column = grid.features / 2, of_row = grid.features - of_column;
  for (Index l = 0; l < table.shape()[0]; ++l) {
    Real* const row = table.data() + l * grid.features;
    fill_wave(static_cast<double>(l / grid.cols), row, of_row);
    fill_wave(static_cast<double>(l % grid.cols), row + of_row, of_column);
  }
  return table;
}

Tensor table_of(PositionKind kind, const GridShape& grid) {
  if (kind == PositionKind::kCoordinates) return coordinates(grid);
  return kind == PositionKind::kSinusoidal ? grid_sinusoids(grid) : sinusoids_2d(grid);
}

}  // namespace

GridPositions::GridPositions(const ParamScope& scope, PositionKind kind, const GridShape& grid)
    : kind_(kind), grid_(grid) {
  if (kind == PositionKind::kLearned)
    learned_.emplace(scope, SequenceExtents{.most = grid.cells(), .features = grid.features});
}

Index GridPositions::features() const {
  return grid_.features + (kind_ == PositionKind::kCoordinates ? 2 : 0);
}

Var GridPositions::operator()(Tape& tape, Var x) const {
  const Index regions = grid_.cells(), batch = x.shape()[0];
  SACCADE_CHECK(x.shape() == Shape({batch, regions, grid_.features}),
                "[grid_positions] made for [B, ", regions, ", ", grid_.features, "]; got ",
                x.shape());
  if (kind_ == PositionKind::kNone) return x;
  if (learned_) return (*learned_)(tape, x);
  std::call_once(made_, [&] { table_ = table_of(kind_, grid_); });
  // The table is repeated for each sample, because ops do not broadcast.
  const Shape shape{batch, regions, table_.shape()[1]};
  Real* copies = tape.scratch(shape.size());
  for (Index b = 0; b < batch; ++b)
    std::copy_n(table_.data(), table_.size(), copies + b * table_.size());
  const Var positions = tape.constant({copies, shape});
  if (kind_ != PositionKind::kCoordinates) return ops::add(x, positions);
  const std::array parts{ops::reshape(x, {batch * regions, grid_.features}),
                         ops::reshape(positions, {batch * regions, shape[2]})};
  return ops::reshape(ops::concat_cols(parts), {batch, regions, features()});
}

Var add_times(Tape& tape, Var x, std::span<const RegionPlaces> places) {
  const Index batch = x.shape()[0], regions = x.shape()[1], width = x.shape()[2];
  SACCADE_CHECK(std::ssize(places) == batch, "[times] ", batch, " images, and the times of ",
                places.size());
  Real* const waves = tape.scratch(x.shape().size());
  std::fill_n(waves, x.shape().size(), Real{0});
  for (Index b = 0; b < batch; ++b) {
    const RegionPlaces& frames = places[static_cast<std::size_t>(b)];
    SACCADE_CHECK(frames && frames->count <= regions, "[times] image ", b, " has no frames");
    for (Index t = 0; t < frames->count; ++t)
      fill_wave(frames->position(t), waves + (b * regions + t) * width, width);
  }
  return ops::add(x, tape.constant({waves, x.shape()}));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
