// The random numbers of a search. They are keyed by image and step, so that neither the batch that
// an image is in nor the images that finished before it change its caption.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The keys of step `step` (0 is the first) of an image: for drawing the word, for drawing the
// region of hard attention, and for the permutation of Ablation::kShuffled.
RandomKey word_draw_key(std::uint64_t seed, std::uint64_t image, Index step);
RandomKey region_draw_key(std::uint64_t seed, std::uint64_t image, Index step);
RandomKey permutation_key(std::uint64_t seed, std::uint64_t image, Index step);

// The number that stands for an image where training draws for place `place` of the batch of an
// update. It differs from those of every other update, and from the images of an evaluation.
std::uint64_t training_number(Index update, Index place);

// Draws the region of every row from its weights. Rows come in groups, one per image; the rows of a
// group take the numbers of the image's key in order.
class ImageRegionChooser : public Chooser {
 public:
  explicit ImageRegionChooser(std::uint64_t seed) : seed_(seed) {}
  // Sets the images of the rows to come: row r belongs to images[r / group].
  void set_images(std::span<const std::uint64_t> images, Index group);
  void choose(ConstView weights, Index step, std::span<int> chosen) override;

 private:
  std::uint64_t seed_;
  std::vector<std::uint64_t> images_;
  Index group_ = 1;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
