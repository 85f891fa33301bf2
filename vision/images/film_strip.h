// The frames of a film side by side in one picture.
#pragma once

#include <string>
#include <vector>

#include "vision/images/image.h"

namespace saccade {

// Reads frames in the order of their names and puts them side by side, each as large as the first
// or smaller: the strip is at most 8,192 pixels wide, and of more than 64 frames 64 at equal
// distances are taken. Throws what read_image() throws, and ShapeError without frames.
Image read_film_strip(std::vector<std::string> frames, const MessageListener& listener,
                      Index max_pixels);

// Puts pictures of one size side by side. Throws ShapeError where sizes differ or there is none.
Image film_strip(std::span<const Image> frames);

}  // namespace saccade
