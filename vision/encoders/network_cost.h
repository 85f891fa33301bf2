// What a network from a file may ask for, so that a small file cannot take all memory or run for
// ever.
#pragma once

#include <span>
#include <string>

#include "core/base/real.h"

namespace saccade {

// Throws DataError, which starts with `place`, where an output of these extents for one image is
// larger than 2^28 numbers, or one extent is not between 1 and 2^24.
void check_extents(const std::string& place, std::span<const Index> extents);
inline void check_extents(const std::string& place, std::initializer_list<Index> extents) {
  check_extents(place, std::span<const Index>(extents.begin(), extents.size()));
}

// The sums over a network for one image.
class NetworkCost {
 public:
  // Adds an output of so many numbers and what it takes to compute them, in products. Throws
  // DataError, which starts with `place`, where all outputs together have more than 2^30 numbers,
  // or take more than 4 * 10^12 products: minutes.
  void add(const std::string& place, double numbers, double products);

 private:
  double numbers_ = 0, products_ = 0;
};

}  // namespace saccade
