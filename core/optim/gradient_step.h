// GradientStep: computes new weights from the tapes of all shards (phase B of a training step).
// Every parameter is cut into tiles. The gradient of a tile is computed and, where clipping allows
// it, used before the next one, so that it never travels through main memory. The bits are the same
// for any number of threads. They depend on the number of groups in which gradients are added up.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/optim/gradient_jobs.h"
#include "core/optim/optimizer.h"
#include "core/optim/tile_exchange.h"
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
  // Store and optimizer must outlive the step. `groups` is a power of two (gradient_jobs.h). Over
  // ranks (parallel::OverRanks), each of which has the same number of groups, a rank has the shards
  // of its groups, updates some of the weights, and gets the others from the ranks that have them;
  // the bits are those of one process.
  GradientStep(ParameterStore& store, Optimizer& optimizer, Clipping clipping = {},
               Index groups = 1);

  // Makes one update with learning rate lr from tapes in shard order whose backward passes are
  // done. Parameters that no shard contributed to stay as they are. Throws DivergedError, which
  // names the parameter, if a gradient is not finite: with clipping.norm nothing has changed then;
  // without it, other tiles have been updated, so the caller must go back to a checkpoint.
  // Over ranks, `all_shards` are those of all of them; -1: there are no others.
  StepReport apply(std::span<Tape* const> shards, double lr, Index all_shards = -1);
  // Over ranks, gives the optimizer of every rank the moments of all weights.
  void gather_moments();

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
  StepReport apply_over_ranks(double lr);
  double scale_of(double norm) const;
  // Copies the numbers of a tile from the flat block `flat`, or to it.
  void copy_tile(const Tile& tile, const Real* flat, Real* to) const;
  void copy_tile_back(const Tile& tile, const Real* from, Real* flat) const;
  // Gives all ranks what each has of the flat block for its own tiles.
  void hand_round(Real* flat);
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
  Tensor gradient_;                       // allocated at its first use
  std::optional<TileExchange> exchange_;  // over ranks
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
