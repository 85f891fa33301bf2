// RegionPlaces: where regions lie that are no cells of a grid: the boxes that an object detector
// found in a photo, or the frames of a film or a sound. Their number differs from one to the next.
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

// The regions of a photo, of a film or of a sound.
struct RegionBoxes {
  Index count = 0;                 // of the regions; those behind them are padding
  std::vector<RegionBox> boxes{};  // [count]; empty: nobody knows where the regions lie
  // Whether they are frames, one after the other. Their boxes are then those in a picture of all
  // frames side by side; none where there is no picture.
  bool in_time = false;
  std::vector<float> times{};  // [count] of frames, in seconds, rising; empty: nobody knows
  float step = 1;              // seconds between two frames of the data that the model learned

  // The place of a frame in time, in steps of the data.
  double position(Index frame) const {
    if (times.empty()) return static_cast<double>(frame);
    return static_cast<double>(times[static_cast<std::size_t>(frame)]) / static_cast<double>(step);
  }
  // Whether they lie at the same places.
  bool operator==(const RegionBoxes&) const = default;
};

// Null: the regions are the cells of a grid.
using RegionPlaces = std::shared_ptr<const RegionBoxes>;

}  // namespace saccade
