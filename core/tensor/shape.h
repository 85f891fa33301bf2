// Shape: the extents of a contiguous row-major array with at most five axes.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <string>

#include "core/base/real.h"

namespace saccade {

class Shape {
 public:
  static constexpr int kMaxRank = 5;

  Shape() = default;  // rank 0: one element
  // Throws ShapeError on more than five extents or on negative ones.
  Shape(std::initializer_list<Index> extents);
  static Shape of(const Index* extents, int rank);

  int rank() const { return rank_; }
  // The extent of an axis; negative numbers count from the end (-1 is the last axis).
  Index operator[](int axis) const {
    return extents_[static_cast<std::size_t>(axis < 0 ? axis + rank_ : axis)];
  }
  Index size() const;
  // The last extent (1 at rank 0), and the number of rows of that length.
  Index cols() const { return rank_ == 0 ? 1 : extents_[static_cast<std::size_t>(rank_ - 1)]; }
  Index rows() const { return cols() == 0 ? 0 : size() / cols(); }
  // This shape with the first (last) extent replaced.
  Shape with_first(Index extent) const;
  Shape with_last(Index extent) const;

  bool operator==(const Shape& other) const;
  std::string text() const;  // "[2, 3]"

 private:
  std::array<Index, kMaxRank> extents_{};
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace saccade
