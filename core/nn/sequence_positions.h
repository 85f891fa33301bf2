// Position information for the elements of a sequence.
#pragma once

#include <mutex>

#include "core/autograd/tape.h"
#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The largest length of a sequence and the width of its vectors.
struct SequenceExtents {
  Index most = 0, features = 0;
};

// Adds sin(t / 10000^(2 i / D)) to channel 2 i and its cosine to channel 2 i + 1 (Vaswani et al.
// 2017, section 3.5). It has no parameters. The table is computed at its first use.
class SinusoidalPositions {
 public:
  explicit SinusoidalPositions(const SequenceExtents& extents) : extents_(extents) {}
  // x [B, T, D], whose first vector is at position `first` -> the same shape. Throws ShapeError
  // where first + T exceeds the extents.
  Var operator()(Tape& tape, Var x, Index first = 0) const;

 private:
  SequenceExtents extents_;
  mutable std::once_flag made_;
  mutable Tensor table_;  // [most, D]
};

// Adds one learned vector per position. Declares `table` [most, D], initialised from a normal
// distribution with deviation 0.02 (Devlin et al. 2019). For the cells of a grid in reading order,
// `most` is the number of cells.
class LearnedPositions {
 public:
  LearnedPositions(const ParamScope& scope, const SequenceExtents& extents);
  Var operator()(Tape& tape, Var x, Index first = 0) const;  // as in SinusoidalPositions

 private:
  int table_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
