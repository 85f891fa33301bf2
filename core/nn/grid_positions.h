// Position information for the regions of a grid, so that a decoder can learn words such as "left".
#pragma once

#include <mutex>
#include <optional>
#include <span>

#include "core/autograd/tape.h"
#include "core/base/region_places.h"
#include "core/nn/grid_shape.h"
#include "core/nn/position_kind.h"
#include "core/nn/sequence_positions.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

//   coordinates: appends row and column, each from -1 (top, left) to 1 (bottom, right).
//   sinusoidal:  adds sin and cos of row and column at wavelengths from 2 pi to 20,000 pi cells
//                (Vaswani et al. 2017, section 3.5, for two axes): every four channels hold
//                sin(row), cos(row), sin(column), cos(column) of one wavelength; up to three
//                channels at the end stay unchanged.
//   sinusoidal_2d: adds the sinusoids of SinusoidalPositions (Vaswani et al. 2017, section 3.5) for
//                both axes: of the row to the first D - floor(D / 2) channels, and of the column to
//                the others.
//   learned:     adds one learned vector per cell (LearnedPositions); the only kind that has
//                parameters.
// The table of the others is computed at its first use.
class GridPositions {
 public:
  GridPositions(const ParamScope& scope, PositionKind kind, const GridShape& grid);
  Index features() const;  // the width of the result
  // [B, L, D] -> [B, L, features()]; the kind `none` returns x itself. Throws ShapeError on another
  // grid.
  Var operator()(Tape& tape, Var x) const;

 private:
  PositionKind kind_;
  GridShape grid_;
  mutable std::once_flag made_;
  mutable Tensor table_;  // [L, 2] or [L, D]
  std::optional<LearnedPositions> learned_;
};

// Adds to x [B, L, D] the sinusoids of Vaswani et al. 2017, section 3.5, of the places of frames in
// time: sin(p / 10000^(2i / D)) in channel 2i and the cosine in channel 2i + 1, with p from
// RegionBoxes::position(). Padding stays as it is. Throws ShapeError where an image has no frames.
Var add_times(Tape& tape, Var x, std::span<const RegionPlaces> places);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
