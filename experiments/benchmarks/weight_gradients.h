// Computes the gradients of weights from a tape, tile by tile, as an update does, but without the
// update.
#pragma once

#include <vector>

#include "core/base/random.h"
#include "core/optim/gradient_jobs.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class WeightGradients {
 public:
  // The store must be initialised and must outlive this object.
  explicit WeightGradients(const ParameterStore& store)
      : jobs_(store), tiles_(cut_into_tiles(store)), tile_(Shape{kTileNumbers}) {}

  // Computes the gradients from a tape after its backward pass; each tile overwrites the one
  // before.
  void compute(Tape& tape) {
    Tape* const shard = &tape;
    jobs_.collect({&shard, 1}, 1);
    for (const Tile& tile : tiles_)
      if (jobs_.any(tile.parameter)) jobs_.compute(tile, tile_.data());
  }

 private:
  GradientJobs jobs_;
  std::vector<Tile> tiles_;
  Tensor tile_;
};

// Standard normal numbers, different for every `sample`.
inline Tensor normal_numbers(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({1, Stream::kTest, 0, sample});
  for (Real& x : out.span()) x = static_cast<Real>(random.normal());
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
