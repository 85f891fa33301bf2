// View, ConstView (borrowed) and Tensor (owned): contiguous row-major arrays of Real.
#pragma once

#include <memory>
#include <span>

#include "core/base/real.h"
#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// A borrowed array that may be written to. Row r of a view is the r-th run of cols() elements.
// It checks no bounds, and the array must outlive it.
struct View {
  Real* data = nullptr;  // the first element; null: no array
  Shape shape;           // of the array; rank 0 also where there is none

  // The number of elements (Shape::size).
  Index size() const { return shape.size(); }
  // The number of runs of cols() elements (Shape::rows).
  Index rows() const { return shape.rows(); }
  // The last extent (Shape::cols).
  Index cols() const { return shape.cols(); }
  // The first element of row r, which lies in 0 .. rows() - 1.
  Real* row(Index r) const { return data + r * cols(); }
  // Element i of all elements, row by row.
  Real& operator[](Index i) const { return data[i]; }
  // All elements, row by row.
  std::span<Real> span() const { return {data, static_cast<std::size_t>(size())}; }
};

// A borrowed array that is only read, with the members of View.
struct ConstView {
  const Real* data = nullptr;  // the first element; null: no array
  Shape shape;                 // of the array; rank 0 also where there is none

  ConstView() = default;
  // The array of shape s whose elements begin at d.
  ConstView(const Real* d, Shape s) : data(d), shape(s) {}
  // The same array as that of a View.
  ConstView(const View& view) : data(view.data), shape(view.shape) {}  // NOLINT: on purpose

  // The number of elements (Shape::size).
  Index size() const { return shape.size(); }
  // The number of runs of cols() elements (Shape::rows).
  Index rows() const { return shape.rows(); }
  // The last extent (Shape::cols).
  Index cols() const { return shape.cols(); }
  // The first element of row r, which lies in 0 .. rows() - 1.
  const Real* row(Index r) const { return data + r * cols(); }
  // Element i of all elements, row by row.
  const Real& operator[](Index i) const { return data[i]; }
  // All elements, row by row.
  std::span<const Real> span() const { return {data, static_cast<std::size_t>(size())}; }
};

// An owned array, initially zero and aligned to 64 bytes. Copies are explicit: clone().
class Tensor {
 public:
  // No elements: shape [0].
  Tensor() = default;
  // Zeros.
  explicit Tensor(Shape shape);
  // A copy of the values, row by row. Throws ShapeError where their number is not shape.size().
  Tensor(Shape shape, std::span<const Real> values);

  // Takes the elements of another tensor, which then has none and must only be assigned to.
  Tensor(Tensor&&) noexcept = default;
  // Takes the elements of another tensor, as the constructor does.
  Tensor& operator=(Tensor&&) noexcept = default;
  // A tensor with a copy of the elements.
  Tensor clone() const;

  // The extents.
  const Shape& shape() const { return shape_; }
  // The number of elements; 0 where none were allocated.
  Index size() const { return data_ ? shape_.size() : 0; }
  // Whether there are no elements.
  bool empty() const { return size() == 0; }
  // The first element.
  Real* data() { return data_.get(); }
  // The first element.
  const Real* data() const { return data_.get(); }
  // The elements to be written to, valid while the tensor lives.
  View view() { return {data_.get(), shape_}; }
  // The elements to be read, valid while the tensor lives.
  ConstView view() const { return {data_.get(), shape_}; }
  // The same elements with another shape. Throws ShapeError where its size differs.
  View view_as(Shape shape);
  // Element i of all elements, row by row, unchecked.
  Real& operator[](Index i) { return data_.get()[i]; }
  // Element i of all elements, row by row, unchecked.
  const Real& operator[](Index i) const { return data_.get()[i]; }
  // All elements, row by row.
  std::span<Real> span() { return {data_.get(), static_cast<std::size_t>(size())}; }
  // All elements, row by row.
  std::span<const Real> span() const { return {data_.get(), static_cast<std::size_t>(size())}; }

 private:
  struct Free {
    void operator()(Real* data) const;
  };
  Shape shape_{0};
  std::unique_ptr<Real, Free> data_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
