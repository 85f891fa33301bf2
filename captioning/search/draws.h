// The random numbers of a search: keyed by image and word, so that neither the batch an image is in
// nor the images that finished before it change its caption.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The keys of word `step` (0 is the first) of an image: for the word itself, for the region that
// hard attention looks at, and for the permutation of Ablation::kShuffled.
RandomKey word_key(std::uint64_t seed, std::uint64_t image, Index step);
RandomKey region_key(std::uint64_t seed, std::uint64_t image, Index step);
RandomKey permutation_key(std::uint64_t seed, std::uint64_t image, Index step);

// The number that stands for an image where training draws for place `place` of an update's batch:
// apart from those of every other update, and from the images of an evaluation.
std::uint64_t training_number(Index update, Index place);

// Draws every row's region from its weights. Rows come in groups, one an image; the rows of a group
// take the numbers of the image's key in order.
class ImageRegionChooser : public Chooser {
 public:
  explicit ImageRegionChooser(std::uint64_t seed) : seed_(seed) {}
  // Whose rows come next: row r belongs to images[r / group].
  void set_images(std::span<const std::uint64_t> images, Index group);
  void choose(ConstView weights, Index step, std::span<int> chosen) override;

 private:
  std::uint64_t seed_;
  std::vector<std::uint64_t> images_;
  Index group_ = 1;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
