// GradientJobs: collects what the tapes of all shards left for each parameter and computes
// gradients from it, tile by tile. Contributions are taken in shard order, and within a shard in
// the order of the tape.
#pragma once

#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/memory/arena.h"
#include "core/optim/tiles.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class GradientJobs {
 public:
  explicit GradientJobs(const ParameterStore& store);

  // Lists the contributions of tapes whose backward pass is done. These must not be reset before
  // the last compute(). Products of few rows are copied together, in parallel.
  void collect(std::span<Tape* const> shards);
  // Whether any shard contributed to a parameter.
  bool any(int parameter) const;
  // Writes the gradient of a tile to out [tile.rows, tile.cols].
  void compute(const Tile& tile, Real* out) const;
  // The bytes of memory for rows that are copied together.
  std::size_t packed_bytes() const { return pack_.reserved(); }

 private:
  struct Product {  // [rows, in]^T [rows, out]
    const Real* x;
    const Real* dy;
    Index rows;
  };
  struct Jobs {
    std::vector<LinearGrad> linear;
    std::vector<Product> products;
    std::vector<const Real*> dense;
    std::vector<RowsGrad> rows;
  };
  struct Copy {
    const LinearGrad* from;
    Real* x;
    Real* dy;
  };
  void plan_products(Jobs& jobs);
  void pack(std::span<const LinearGrad> run, Jobs& jobs);
  void check(const LinearGrad& job) const;

  const ParameterStore* store_;
  std::vector<Jobs> jobs_;  // one for each parameter
  std::vector<Copy> copies_;
  Arena pack_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
