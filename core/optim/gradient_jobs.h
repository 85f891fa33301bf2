// GradientJobs: collects what the tapes of all shards left for each parameter and computes
// gradients from it, tile by tile. Contributions are taken in shard order, and within a shard in
// the order of the tape. Each group of shards has a sum of its own; the sums meet in a binary tree:
// of 8 groups ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), where those that have nothing are left
// out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/memory/arena.h"
#include "core/optim/tiles.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class GradientJobs {
 public:
  // `groups` is a power of two. Of them, these jobs are for part number `part` of `parts`.
  explicit GradientJobs(const ParameterStore& store, Index groups = 1, Index part = 0,
                        Index parts = 1);

  // Lists the contributions of tapes whose backward pass is done: the shards of the part's groups
  // in order, of so many in all groups (parallel::shards_of). The tapes must not be reset before
  // the last compute(). Products of few rows are copied together, in parallel.
  void collect(std::span<Tape* const> shards, Index all_shards);
  // Whether any shard contributed to a parameter.
  bool any(int parameter) const;
  // Writes the gradient of a tile to out [tile.rows, tile.cols]: zeros where no shard contributed.
  void compute(const Tile& tile, Real* out) const;
  // The same, and where no shard contributed to the tile, writes nothing and returns false.
  bool compute_any(const Tile& tile, Real* out) const;
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
  const Jobs& jobs_of(Index group, int parameter) const {
    return jobs_[static_cast<std::size_t>(group) * store_->count() +
                 static_cast<std::size_t>(parameter)];
  }
  void collect(std::span<Tape* const> shards, std::span<Jobs> group);
  // The gradients of one group, and the sum of several, from `first` on. They write nothing and
  // return false where the groups did not contribute to the tile.
  bool compute_group(Index group, const Tile& tile, Real* out) const;
  bool compute_sum(Index first, Index count, const Tile& tile, Real* out) const;
  void plan_products(Jobs& jobs);
  void pack(std::span<const LinearGrad> run, Jobs& jobs);
  void check(const LinearGrad& job) const;

  const ParameterStore* store_;
  Index all_groups_, groups_, first_group_;
  std::vector<Jobs> jobs_;  // [groups, parameters]
  std::vector<Copy> copies_;
  Arena pack_;
  std::uint64_t number_ = 0;  // of the collection, counted over all objects
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
