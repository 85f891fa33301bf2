// GradientStep: computes new weights from the tapes of all shards (phase B of a training step).
// Every parameter is cut into tiles. The gradient of a tile is computed and, where clipping allows
// it, used before the next one, so that it never travels through main memory. The bits are the same
// for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/optim/gradient_jobs.h"
#include "core/optim/optimizer.h"
#include "core/optim/tiles.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Clips the norm first, over all parameters together (Pascanu et al. 2013), and then every element.
// Parameters that learn from a loss of their own (ParameterInfo::apart) have a norm of their own.
struct Clipping {
  double norm = 0;   // the largest norm; 0: no clipping
  double value = 0;  // the largest absolute value; 0: no clipping
};

struct StepReport {
  double grad_norm = 0;  // before clipping, without parameters that learn apart
  double scale = 1;      // the factor on the gradient that clips its norm
};

class GradientStep {
 public:
  // Store and optimizer must outlive the step.
  GradientStep(ParameterStore& store, Optimizer& optimizer, Clipping clipping = {});

  // Makes one update with learning rate lr from tapes in shard order whose backward passes are
  // done. Parameters that no shard contributed to stay as they are. Throws DivergedError, which
  // names the parameter, if a gradient is not finite: with clipping.norm nothing has changed then;
  // without it, other tiles have been updated, so the caller must go back to a checkpoint.
  StepReport apply(std::span<Tape* const> shards, double lr);

  // The unclipped gradient, aligned with the store's flat block; valid until the next call.
  ConstView gradients(std::span<Tape* const> shards);

  // The bytes held between steps: rows copied together and, if it was needed, the whole gradient.
  std::size_t held_bytes() const;

 private:
  template <class Body>
  void for_tiles(Body body);
  template <class Body>
  void for_runs(const Tile& tile, Body body) const;
  StepReport apply_with_norm(double lr);
  void fill_gradient();
  void check_finite() const;
  // Whether parameters learn from the model's loss or from one of their own.
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
  Tensor gradient_;  // allocated at its first use
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
