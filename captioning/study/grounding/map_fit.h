// How well a word's attention map fits the boxes of what the word names: attention correctness (Liu
// et al., AAAI 2017), energy pointing (Wang et al., Score-CAM, CVPRW 2020) and localisation (Zhou
// et al., CVPR 2016). Shares are integrals over the picture, so boxes may cut cells anywhere.
// Padding is no part of the picture: weights there count neither as inside nor as outside.
#pragma once

#include <span>
#include <vector>

#include "captioning/study/grounding/grounding.h"
#include "vision/images/rect.h"

namespace saccade {

struct LocalizationRule {
  double threshold = 0.2;  // cells from this share of the largest weight on are the map's object
  double overlap = 0.5;    // an intersection over union above this is a hit
};

// The boxes of one word on a grid. A map is compared with their union.
class BoxedWord {
 public:
  // The boxes are in pixels of the picture that the network saw, and are cut to what it shows of
  // the photo. Throws ShapeError for an empty grid.
  BoxedWord(const AttentionGrid& grid, std::span<const Rect> boxes);

  // The correctness of a map of equal weights: the boxes' share of the picture's area or, where
  // regions are boxes, the mean of cell_shares(), which may be 0.
  double area_share() const { return area_share_; }
  // The share of each cell's part of the picture that is inside [rows * cols]; 0 for cells of
  // padding.
  std::vector<Real> cell_shares() const;
  // The share of the weight that is inside, where each cell's weight is spread evenly over the
  // cell.
  double correctness(std::span<const Real> weights) const;
  // The same share, where weights are interpolated linearly between the centres of cells; boxes are
  // not.
  double energy(std::span<const Real> weights) const;
  // The largest intersection over union of one of the boxes and the tightest box around the map's
  // object. The object is the largest group of neighbours (corners included) among the cells whose
  // weight is at least `threshold` times the largest; of regions that are boxes, the object is the
  // box of the largest weight. 0 for a map of zeros.
  double overlap(std::span<const Real> weights, double threshold) const;

 private:
  double inside(std::span<const Real> weights, const std::vector<double>& boxes,
                const std::vector<double>& picture) const;

  void cover_boxes();

  AttentionGrid grid_;
  std::vector<Rect> boxes_;
  double area_share_ = 0;
  // How much of every cell, or of its part of the interpolated map, is in the boxes, and in the
  // picture.
  std::vector<double> cells_, cells_shown_, slopes_, slopes_shown_;
};

// A map that knows only that people put things into the middle: a Gaussian around the middle of the
// picture, whose standard deviation is kCentreSigma of the picture's width and height.
// [rows * cols]
constexpr double kCentreSigma = 0.25;
std::vector<Real> centre_map(const AttentionGrid& grid);

}  // namespace saccade
