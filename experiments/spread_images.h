// Which images stand for a data set where all would be too many to look at.
#pragma once

#include <vector>

#include "core/base/real.h"

namespace saccade {

// `most` of the images, evenly over them in their order; all where they are no more.
std::vector<Index> spread_images(std::vector<Index> images, std::size_t most);

}  // namespace saccade
