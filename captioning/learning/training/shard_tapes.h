// The frame of an update, whatever its loss is: every shard goes forward and backward on a tape of
// its own, in parallel (phase A), and then the weights change (phase B).
#pragma once

#include <memory>
#include <vector>

#include "captioning/model/model.h"
#include "core/kernels/constant_weights.h"
#include "core/optim/gradient_step.h"
#include "core/parallel/parallel.h"

namespace saccade {

struct ExperimentConfig;

class ShardTapes {
 public:
  // All arguments must outlive this.
  ShardTapes(CaptionModel& model, Optimizer& optimizer, const ExperimentConfig& config);

  // Calls body(s) for shards 0, 1, ... of an update, in parallel. Each has a tape from then on.
  void for_each(Index shards, parallel::FunctionRef<void(Index)> body);
  // The tape of a shard, empty, with the model's weights, in training or not.
  Tape& start(Index shard, bool training);

  // Phase B of update number `update`, from the tapes of the last for_each(), which over ranks were
  // some of `all_shards`. Returns the gradient's norm. Throws DivergedError that names the update.
  double apply(Index update, double lr, Index all_shards);
  // As GradientStep::gather_moments().
  void gather_moments() { gradient_step_.gather_moments(); }

 private:
  struct Worker {
    Arena arena;
    Tape tape{arena};
  };
  CaptionModel* model_;
  GradientStep gradient_step_;
  std::vector<std::unique_ptr<Worker>> workers_;  // kept between updates
  Index shards_ = 0;                              // of the last for_each()
  WeightCopies copies_;
};

// Where each shard begins when all of them are counted through, from `begin` on: first[s] is begin
// and the sum of count(t) over the shards t before s.
template <class Shards, class Count>
std::vector<Index> first_of_shards(const Shards& shards, Index begin, Count count) {
  std::vector<Index> first;
  Index total = begin;
  for (const auto& shard : shards) {
    first.push_back(total);
    total += count(shard);
  }
  return first;
}

}  // namespace saccade
