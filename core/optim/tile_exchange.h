// TileExchange: where ranks hold parts of a gradient, it adds these up in the order of a fixed
// tree, so that each rank has the sum of some of the tiles; and it hands round what ranks made of
// theirs. Both take log2(ranks) exchanges with one other rank each, of half as many numbers every
// time (recursive halving and doubling). Ranks are neighbours in the tree of groups
// (gradient_jobs.h), so the first exchange is with the nearest.
#pragma once

#include <span>
#include <vector>

#include "core/optim/tiles.h"
#include "core/parallel/ranks/ranks.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class TileExchange {
 public:
  // Ranks must outlive this. The number of ranks is a power of two.
  TileExchange(std::span<const Tile> tiles, parallel::Ranks& ranks);

  // The place of a tile's numbers [rows, cols].
  Real* at(Index tile) {
    return numbers_.empty() ? nullptr : numbers_.data() + begin_[static_cast<std::size_t>(tile)];
  }
  // Before add_up(), each rank writes its part of every tile, or says that it has none of the tile,
  // or none of the whole parameter.
  void allocate();
  enum class Missing { kTile, kParameter };
  void leave_out(Index tile, Missing missing);
  // Whether any rank has numbers of the tile's parameter. Valid after add_up().
  bool any(Index tile) const { return found_[static_cast<std::size_t>(tile)] != 0; }

  // The tiles of this rank: those that add_up() makes sums of, and hand_round() hands round.
  struct Range {
    Index begin = 0, end = 0;
    bool has(Index tile) const { return tile >= begin && tile < end; }
  };
  Range own() const { return own_; }
  void add_up();
  void hand_round();
  // The numbers that all ranks have of their own tiles, by tile.
  void share(std::vector<double>& of_tiles) const;

  std::size_t held_bytes() const {
    return static_cast<std::size_t>(numbers_.size() + received_.size()) * sizeof(Real);
  }

 private:
  struct Step {  // an exchange of add_up(), or one of hand_round() the other way
    int other;
    Range kept, given;
  };
  std::span<Real> numbers(const Range& tiles);
  void fill(Index tile, Real value);

  parallel::Ranks* ranks_;
  std::vector<Index> begin_;  // of each tile, and the end
  std::vector<Step> steps_;
  Range own_;
  std::vector<char> found_;    // bits, by tile: kOfParameter, kOfTile
  Tensor numbers_, received_;  // allocated at their first use
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
