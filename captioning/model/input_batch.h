// What encoders get for several images or texts: their inputs and, beside them, which part of each
// input is the picture or text and which is padding.
#pragma once

#include <span>
#include <vector>

#include "core/tensor/tensor.h"
#include "vision/images/geometry.h"

namespace saccade {

struct InputView {
  ConstView values;                      // [B, ...CaptionModel::input_shape()]
  std::span<const PictureArea> areas{};  // [B]; read only where inputs are padded

  InputView(ConstView v, std::span<const PictureArea> a = {}) : values(v), areas(a) {}
  InputView(const View& v) : values(v) {}
};

class InputBatch {
 public:
  InputBatch() = default;
  // Inputs of zeros, and pictures without padding; `one` is the shape of one image's input.
  InputBatch(const Shape& one, Index count) : areas_(static_cast<std::size_t>(count)) {
    std::vector<Index> extents{count};
    for (int axis = 0; axis < one.rank(); ++axis) extents.push_back(one[axis]);
    values_ = Tensor(Shape::of(extents.data(), static_cast<int>(extents.size())));
    size_ = static_cast<std::size_t>(one.size());
  }

  Index count() const { return static_cast<Index>(areas_.size()); }
  // The input of image i, to be written.
  std::span<Real> values_of(Index i) {
    return values_.span().subspan(static_cast<std::size_t>(i) * size_, size_);
  }
  void set_area(Index i, const PictureArea& area) { areas_[static_cast<std::size_t>(i)] = area; }
  const PictureArea& area(Index i) const { return areas_[static_cast<std::size_t>(i)]; }
  std::span<Real> values() { return values_.span(); }
  InputView view() const { return {values_.view(), areas_}; }

 private:
  Tensor values_;
  std::size_t size_ = 0;
  std::vector<PictureArea> areas_;
};

}  // namespace saccade
