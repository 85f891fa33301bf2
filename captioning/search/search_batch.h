// The images whose captions are still being searched: their memories, the decoder's state, and one
// step at a time. Finished images leave, and no work is done for them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "captioning/search/draws.h"
#include "captioning/search/search.h"
#include "core/attention/weight_edit.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Every running image has a slot, and every slot the same number of rows (hypotheses), its group:
// row r belongs to slot r / group.
class SearchBatch {
 public:
  // Prepares the memories of features [M, L, D]; image m of the call has slot m. The first step has
  // options.samples rows a slot when captions are sampled, else one.
  SearchBatch(const Decoder& decoder, std::span<const ConstView> parameters, ConstView features,
              const SearchOptions& options, std::uint64_t first_image);

  Index first_group() const { return first_group_; }
  Index slots() const { return static_cast<Index>(images_.size()); }
  Index image(Index slot) const { return images_[static_cast<std::size_t>(slot)]; }
  std::uint64_t image_number(Index slot) const {
    return first_image_ + static_cast<std::uint64_t>(image(slot));
  }
  Index word() const { return word_; }  // the place of the word being looked for; 0 is the first

  // One step from the words just said [slots * group]. What it returns is valid until advance().
  // The group of the first word is first_group().
  const StepOutput& step(std::span<const int> words, Index group);
  View logits() { return tape_.mutable_value(output_.logits); }

  // Frees the slots marked in done [slots] and returns where every remaining slot was before.
  std::vector<Index> drop(const std::vector<bool>& done);
  // The next step: its row r continues row parents[r] of the last one.
  void advance(std::span<const Index> parents);

 private:
  void set_regime(const SearchOptions& options);
  void set_ablation(const SearchOptions& options);
  void move_memory(Index from, Index to);

  const Decoder& decoder_;
  std::uint64_t first_image_;
  std::uint64_t seed_;
  Index first_group_;
  Tensor features_;  // a copy: memories move when images leave
  Arena memory_arena_, arena_;
  Tape memory_tape_, tape_;
  AttentionMemory memory_;
  std::vector<Tensor> state_;  // rows of the next step; may hold more
  std::vector<Tensor> spare_state_;
  std::vector<Shape> state_shapes_;
  std::vector<Index> images_;  // by slot
  Index word_ = 0;
  StepOutput output_;
  std::unique_ptr<Chooser> chooser_;
  HardLikelihood likelihood_ = HardLikelihood::kChoice;
  ImageRegionChooser* draws_ = nullptr;  // the chooser, where it draws
  std::unique_ptr<WeightEdit> edit_;
  ShuffledWeights* shuffle_ = nullptr;  // the edit, where it permutes
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
