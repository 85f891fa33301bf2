// One model in a search: its memories of the images that are still searched, its state, and what
// chooses its regions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "captioning/model/search/draws.h"
#include "captioning/model/search/search.h"
#include "core/attention/weight_edit.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class RunningModel {
 public:
  // Prepares the memories of member.images; each has `group` rows at first. `seed` is the seed of
  // its draws.
  RunningModel(const SearchMember& member, const SearchOptions& options, Index group,
               std::uint64_t seed);

  // Sets the regions that the next step takes instead of choosing: for every row, those of all
  // draws (DecodedWord::choices). A row without regions chooses for itself. It has no effect on a
  // model that chooses no regions.
  void force_regions(std::span<const std::vector<int>> regions);
  // Runs one step from the last words. `numbers` are those of the images, each of which has the
  // same number of rows.
  void step(std::span<const int> words, std::span<const std::uint64_t> numbers, Index word);
  // The attention of each row of the step, and its scores of the next words; until advance().
  std::vector<DecodedWord> attention() const { return recorded(output_, layout_, recording_); }
  View logits() { return tape_.mutable_value(output_.logits); }
  // Moves the memory of one place to another.
  void move_memory(Index from, Index to);
  // Goes on to the next step, whose row r continues row parents[r] of the last step.
  void advance(std::span<const Index> parents);

 private:
  // Chooses the forced regions and, where there are none, what the model itself would choose.
  class ForcedRegions : public Chooser {
   public:
    void set(Chooser& own, std::span<const std::vector<int>> regions) {
      own_ = &own;
      regions_.assign(regions.begin(), regions.end());
    }
    void clear() { own_ = nullptr; }
    bool active() const { return own_ != nullptr; }
    void choose(ConstView weights, Index draw, std::span<int> chosen) override;
    void choose_in_order(ConstView weights, Index draw, std::span<int> chosen) override;

   private:
    void force(Index draw, std::span<int> chosen) const;
    Chooser* own_ = nullptr;
    std::vector<std::vector<int>> regions_;  // by row
  };

  void set_regime(const SearchOptions& options);
  void set_ablation(const SearchOptions& options);

  const Decoder& decoder_;
  std::uint64_t seed_;
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
  std::unique_ptr<Chooser> chooser_;
  ForcedRegions forced_;
  HardLikelihood likelihood_ = HardLikelihood::kChoice;
  ImageRegionChooser* draws_ = nullptr;  // the chooser, where regions are drawn
  std::unique_ptr<WeightEdit> edit_;
  ShuffledWeights* shuffle_ = nullptr;  // the edit, where it permutes
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
