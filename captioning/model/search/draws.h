// The random numbers of a search. Their keys are image and step, so that a caption depends neither
// on the batch of its image nor on the images that finished before it.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The keys of an image at step `step` (0 is the first): for drawing the word, for drawing the
// region of hard attention, and for the permutation of Ablation::kShuffled.
RandomKey word_draw_key(std::uint64_t seed, std::uint64_t image, Index step);
RandomKey region_draw_key(std::uint64_t seed, std::uint64_t image, Index step);
RandomKey permutation_key(std::uint64_t seed, std::uint64_t image, Index step);

// The number of an image in the draws of training, for place `place` of an update's batch. It
// differs from those of every other update, and from the images of an evaluation.
std::uint64_t training_number(Index update, Index place);

// Draws the region of every row from its weights. Rows come in groups, one group per image. The
// rows of a group take the random numbers of the image's key in order.
class ImageRegionChooser : public Chooser {
 public:
  explicit ImageRegionChooser(std::uint64_t seed) : seed_(seed) {}
  // Sets the images of the next rows: row r belongs to images[r / group].
  void set_images(std::span<const std::uint64_t> images, Index group);
  void choose(ConstView weights, Index draw, std::span<int> chosen) override;

 private:
  std::uint64_t seed_;
  std::vector<std::uint64_t> images_;
  Index group_ = 1;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
