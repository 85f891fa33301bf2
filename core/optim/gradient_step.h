// GradientStep: from the tapes of all shards to new weights (phase B of a training step). Every
// parameter is cut into tiles; a tile's gradient is made, and where clipping allows used, before
// the next one, so that it never returns to memory. Same bits for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/optim/gradient_jobs.h"
#include "core/optim/optimizer.h"
#include "core/optim/tiles.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// First the norm, over all parameters together (Pascanu et al. 2013), then every element. Those
// that learn from a loss of their own (ParameterInfo::apart) have a norm of their own.
struct Clipping {
  double norm = 0;   // largest norm; 0 = off
  double value = 0;  // largest absolute value; 0 = off
};

struct StepReport {
  double grad_norm = 0;  // before clipping, without parameters apart
  double scale = 1;      // what the gradient was multiplied with to clip its norm
};

class GradientStep {
 public:
  // Store and optimizer must outlive the step.
  GradientStep(ParameterStore& store, Optimizer& optimizer, Clipping clipping = {});

  // One update from tapes in shard order, backward passes done, with learning rate lr. Parameters
  // that no shard contributed to are left alone. Throws DivergedError, naming the parameter, if a
  // gradient is not finite: with clipping.norm nothing has changed then; without, other tiles have
  // been updated, so go back to a checkpoint.
  StepReport apply(std::span<Tape* const> shards, double lr);

  // The gradient, unclipped, aligned with the store's flat block; valid until the next call.
  ConstView gradients(std::span<Tape* const> shards);

  // Bytes held between steps: rows copied together and, if it was needed, the whole gradient.
  std::size_t held_bytes() const;

 private:
  template <class Body>
  void for_tiles(Body body);
  template <class Body>
  void for_runs(const Tile& tile, Body body) const;
  StepReport apply_with_norm(double lr);
  void fill_gradient();
  void check_finite() const;
  // Parameters that learn from the model's loss, or apart.
  enum class Side { kModel, kApart };
  Side side_of(const Tile& tile) const;
  double norm_of(Side side) const;
  kernels::ClippedGradient clipped(const Real* data, double scale) const;

  ParameterStore* store_;
  Optimizer* optimizer_;
  Clipping clipping_;
  std::vector<Tile> tiles_;
  std::vector<double> squares_;  // sum of squares of each tile's gradient
  GradientJobs jobs_;
  Tensor gradient_;  // allocated when first needed
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
