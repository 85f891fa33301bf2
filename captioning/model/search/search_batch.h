// The images whose captions are still being searched, and one step at a time of the models that
// decode them. Finished images leave, and no more work is done for them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "captioning/model/maps/recording.h"
#include "captioning/model/search/running_model.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Every running image has a slot, and every slot has the same number of rows (hypotheses), its
// group: row r belongs to slot r / group.
class SearchBatch {
 public:
  // Image m of the members has slot m. In the first step every slot has options.samples rows when
  // captions are sampled, and else one.
  SearchBatch(std::span<const SearchMember> members, const SearchOptions& options,
              std::uint64_t first_image);

  Index first_group() const { return first_group_; }
  Index slots() const { return static_cast<Index>(images_.size()); }
  Index image(Index slot) const { return images_[static_cast<std::size_t>(slot)]; }
  std::uint64_t image_number(Index slot) const {
    return first_image_ + static_cast<std::uint64_t>(image(slot));
  }
  Index word() const { return word_; }  // the number of the word to be found; 0 is the first

  // Sets the regions that the next step takes, row by row (RunningModel::force_regions). Throws
  // ShapeError where there are several members, because each of them chose its own.
  void force_regions(std::span<const std::vector<int>> regions);
  // Runs one step from the last words [slots * group] and returns the attention of each row: of the
  // members that are shown. The group of the first word is first_group().
  std::vector<DecodedWord> step(std::span<const int> words, Index group);
  // The scores of the next words [slots * group, V], valid until advance(): the logits of a single
  // model, or the logarithm of the mean of the members' probabilities.
  View logits() { return members_.size() == 1 ? members_[0]->logits() : mixture_; }

  // Frees the slots marked in done [slots] and returns where every remaining slot was before.
  std::vector<Index> drop(const std::vector<bool>& done);
  // Goes on to the next step, whose row r continues row parents[r] of the last step.
  void advance(std::span<const Index> parents);

 private:
  void mix();

  std::uint64_t first_image_;
  Index first_group_;
  std::vector<std::unique_ptr<RunningModel>> members_;
  std::vector<bool> shown_;    // by member
  std::vector<Index> images_;  // by slot
  Index word_ = 0;
  Tensor mixture_numbers_, normalizers_;
  View mixture_;  // [rows, V], where there are several members
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
