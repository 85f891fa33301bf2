// Shape: the extents of a contiguous row-major array with at most five axes.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <string>

#include "core/base/real.h"

namespace saccade {

// The extents of an array. A shape of rank 0 is that of a single number.
class Shape {
 public:
  // The largest number of axes.
  static constexpr int kMaxRank = 5;

  Shape() = default;  // rank 0: one element
  // Throws ShapeError on more than five extents or on negative ones.
  Shape(std::initializer_list<Index> extents);
  // The shape of `rank` extents in memory. Throws ShapeError as the constructor does.
  static Shape of(const Index* extents, int rank);

  // The number of axes.
  int rank() const { return rank_; }
  // The extent of an axis; negative numbers count from the end (-1 is the last axis).
  Index operator[](int axis) const {
    return extents_[static_cast<std::size_t>(axis < 0 ? axis + rank_ : axis)];
  }
  // The number of elements: the product of the extents, 1 at rank 0.
  Index size() const;
  // The last extent, 1 at rank 0.
  Index cols() const { return rank_ == 0 ? 1 : extents_[static_cast<std::size_t>(rank_ - 1)]; }
  // The number of runs of cols() elements; 0 where cols() is 0.
  Index rows() const { return cols() == 0 ? 0 : size() / cols(); }
  // This shape with the first extent replaced. Throws ShapeError at rank 0.
  Shape with_first(Index extent) const;
  // This shape with the last extent replaced. Throws ShapeError at rank 0.
  Shape with_last(Index extent) const;

  // Whether rank and all extents are the same.
  bool operator==(const Shape& other) const;
  std::string text() const;  // "[2, 3]"

 private:
  std::array<Index, kMaxRank> extents_{};
  int rank_ = 0;
};

// Writes Shape::text().
std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace saccade
