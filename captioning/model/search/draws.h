// The random numbers of a search. Their keys are image and step, so that a caption depends neither
// on the batch of its image nor on the images that finished before it.
#pragma once

#include "core/base/random.h"
#include "core/tensor/shape.h"

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

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
