#include "experiments/pictures/spread_images.h"

namespace saccade {

std::vector<Index> spread_images(std::vector<Index> images, std::size_t most) {
  if (images.size() <= most) return images;
  std::vector<Index> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(images[i * images.size() / most]);
  return out;
}

}  // namespace saccade
