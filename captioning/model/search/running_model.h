// One model in a search: its memories of the images that are still searched, its state, and what
// happens at its glimpses.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/search/search.h"
#include "core/attention/observer.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Takes regions by the regime, replaces weights by the ablation, and keeps the glimpses of a step.
// Rows come in groups, one group per image.
class SearchObserver : public GlimpseRecorder {
 public:
  // `seed` is that of its draws and permutations.
  SearchObserver(const SearchOptions& options, std::uint64_t seed)
      : regime_(options.regime), ablation_(options.ablation), seed_(seed) {}
  // Begins a step: row r belongs to images[r / group].
  void begin(std::span<const std::uint64_t> images, Index group, Index word);

  bool replaces() const override { return ablation_ != Ablation::kNone; }
  void replace(Index memory, std::span<Real> weights) override;
  bool chooses() const override;
  // The rows of a group take the random numbers of their image's key in order.
  RegionChoice choose(const Odds& odds) override;
  // What rows take in this step, as in RunningModel::force_regions; empty: what choose() gives.
  std::vector<std::vector<int>> forced;

 private:
  Regime regime_;
  Ablation ablation_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> images_;
  Index group_ = 1, word_ = 0;
};

class RunningModel {
 public:
  // Prepares the memories of member.images; each has `group` rows at first. `seed` is the seed of
  // its draws.
  RunningModel(const SearchMember& member, const SearchOptions& options, Index group,
               std::uint64_t seed);

  // Sets the regions that the next step takes instead of choosing: for every row, those of all
  // draws (DecodedWord::choices). A row without regions chooses for itself. It has no effect on a
  // model that chooses no regions.
  void force_regions(std::span<const std::vector<int>> regions) {
    observer_.forced.assign(regions.begin(), regions.end());
  }
  // Runs one step from the last words. `numbers` are those of the images, each of which has the
  // same number of rows.
  void step(std::span<const int> words, std::span<const std::uint64_t> numbers, Index word);
  // The attention of each row of the step, and its scores of the next words; until advance().
  std::vector<DecodedWord> attention() const {
    return recorded(observer_.glimpses, layout_, recording_);
  }
  View logits() { return tape_.mutable_value(output_.logits); }
  // Moves the memory of one place to another.
  void move_memory(Index from, Index to);
  // Goes on to the next step, whose row r continues row parents[r] of the last step.
  void advance(std::span<const Index> parents);

 private:
  const Decoder& decoder_;
  SearchObserver observer_;
  HardLikelihood likelihood_;
  Recording recording_;
  Tensor features_, mask_, pooled_, keys_;  // copies, because memories move when images leave
  Arena memory_arena_, arena_;
  Tape memory_tape_, tape_;
  AttentionMemory memory_;
  std::vector<Tensor> state_;  // rows of the next step; may hold more
  std::vector<Tensor> spare_state_;
  std::vector<Shape> state_shapes_;
  StepOutput output_;
  MemoryLayout layout_;  // of the step's memory
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
