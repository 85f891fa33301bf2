// Chooses images that represent a data set where showing all would be too many.
#pragma once

#include <vector>

#include "core/base/real.h"

namespace saccade {

// At most `most` of the images, spaced evenly, in their order; all images where they are no more.
std::vector<Index> spread_images(std::vector<Index> images, std::size_t most);

}  // namespace saccade
