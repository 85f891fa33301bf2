// Augmentation: the same photo a little different every epoch, with its geometry kept. A change is
// a function of the random key alone, so a resumed run sees the same pictures.
#pragma once

#include "core/base/random.h"
#include "vision/geometry.h"

namespace saccade {

struct AugmentOptions {
  // Probability of exchanging left and right. It makes every caption that says "left" or "right"
  // wrong: leave it 0 for data whose captions do.
  double flip = 0;
  // Side of the part that is seen, uniform in [smallest_crop, 1]; it lies anywhere in the whole.
  double smallest_crop = 1;
  // Moves what is seen by up to these shares of its width and of its height, each way.
  double shift_x = 0, shift_y = 0;
  double brightness = 0;  // each a factor uniform in [1 - x, 1 + x], applied in this order
  double contrast = 0;
  double saturation = 0;
};

// What was drawn for one picture: where the network looks, and what its colours are multiplied
// with.
struct DrawnChanges {
  Geometry geometry;
  double brightness = 1, contrast = 1, saturation = 1;
};

// The changes of a picture of this size. Throws UsageError on options outside their range.
DrawnChanges draw_changes(Index height, Index width, const PrepareOptions& options,
                          const AugmentOptions& augment, Random random);

// prepare() with random changes drawn from `random`. A shift may look past the border of the
// original, where edge pixels go on, or padding where it was padded. Throws UsageError on options
// outside their range.
Prepared prepare_augmented(const Image& image, const PrepareOptions& options,
                           const AugmentOptions& augment, Random random);

}  // namespace saccade
