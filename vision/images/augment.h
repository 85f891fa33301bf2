// Augmentation: every epoch sees a slightly different version of the same photo, and its geometry
// is kept. A change is a function of the random key alone, so a resumed run sees the same pictures.
#pragma once

#include "core/base/random.h"
#include "vision/images/geometry.h"

namespace saccade {

struct AugmentOptions {
  // Probability of exchanging left and right. This makes every caption with "left" or "right"
  // wrong: leave it at 0 for data with such captions.
  double flip = 0;
  // The side of the part that the network sees, as a share of the whole: uniform in
  // [scale, 1]. The part lies anywhere in the whole.
  double scale = 1;
  // The part is moved by up to these shares of its width and of its height, in both directions.
  double shift_x = 0, shift_y = 0;
  // Brightness, and then contrast, are each multiplied by a factor uniform in [1 - color, 1 +
  // color].
  double color = 0;
};

// The random changes of one picture: which part of it the network sees, and the factors of its
// colours.
struct DrawnChanges {
  Geometry geometry;
  double brightness = 1, contrast = 1;
};

// Draws the changes of a picture of this size. Throws UsageError on options outside their range.
DrawnChanges draw_changes(Index height, Index width, const PrepareOptions& options,
                          const AugmentOptions& augment, Random random);

// prepare() with random changes drawn from `random`. A shift may reach past the border of the
// original: there, its edge pixels are repeated, or the padding continues if the picture was
// padded. Throws UsageError on options outside their range.
Prepared prepare_augmented(const Image& image, const PrepareOptions& options,
                           const AugmentOptions& augment, Random random);

}  // namespace saccade
