// RegionPlaces: where the regions of a photo lie that are no cells of a grid, such as those that an
// object detector found. Their number differs from photo to photo.
#pragma once

#include <memory>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// A part of a photo by its edges, as shares of the photo's width and height.
struct RegionBox {
  float left = 0;    // its left edge
  float top = 0;     // its upper edge
  float right = 1;   // its right edge
  float bottom = 1;  // its lower edge

  // Its width, as a share of the photo's.
  float width() const { return right - left; }
  // Its height, in the same way.
  float height() const { return bottom - top; }
  // Whether all edges are the same.
  bool operator==(const RegionBox&) const = default;
};

// The regions of a photo.
struct RegionBoxes {
  Index count = 0;                 // of the regions; those behind them are padding
  std::vector<RegionBox> boxes{};  // [count]; empty: nobody knows where the regions lie

  // Whether they lie at the same places.
  bool operator==(const RegionBoxes&) const = default;
};

// Null: the regions are the cells of a grid.
using RegionPlaces = std::shared_ptr<const RegionBoxes>;

}  // namespace saccade
