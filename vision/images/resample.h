// Resampling as PIL has it, with which most published networks were trained: torchvision and timm
// call it, or compute the same ("antialias"). Internal to vision/images/geometry.cpp.
#pragma once

#include "core/base/real.h"
#include "vision/images/resize_mode.h"

namespace cv {
class Mat;
}

namespace saccade {

// The extents of a resized picture, and the place of a part of it.
struct ResizedPart {
  Index rows, cols, top = 0, left = 0;
};

// Makes the part, of the extents of `to`, that a picture `from` resized to other extents has at a
// place; both are 8UC3 and may not overlap. What lies outside the part is not computed. Every pixel
// is the one at its place in `from` (nearest), or a weighted mean of the pixels around it: by a
// triangle (bilinear), Keys' cubic with a = -1/2 (bicubic) or Lanczos' window of 3 (lanczos). Where
// the picture shrinks, the filter is as much wider. One axis is computed before the other and
// rounded to 8 bits, in the order of Pillow 13: columns first where the height loses more than
// twice the pixels that the width loses, else rows. (Older versions always begin with the rows.)
// Throws ShapeError for areas.
void resample(const cv::Mat& from, cv::Mat& to, Interpolation interpolation,
              const ResizedPart& part);

}  // namespace saccade
