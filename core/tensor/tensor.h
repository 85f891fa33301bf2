// View, ConstView (borrowed) and Tensor (owned): contiguous row-major arrays of Real.
#pragma once

#include <memory>
#include <span>

#include "core/base/real.h"
#include "core/tensor/shape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// A borrowed array that may be written to. Row r of a view is the r-th run of cols() elements.
struct View {
  Real* data = nullptr;
  Shape shape;

  Index size() const { return shape.size(); }
  Index rows() const { return shape.rows(); }
  Index cols() const { return shape.cols(); }
  Real* row(Index r) const { return data + r * cols(); }
  Real& operator[](Index i) const { return data[i]; }
  std::span<Real> span() const { return {data, static_cast<std::size_t>(size())}; }
};

// A borrowed array that is only read.
struct ConstView {
  const Real* data = nullptr;
  Shape shape;

  ConstView() = default;
  ConstView(const Real* d, Shape s) : data(d), shape(s) {}
  ConstView(const View& view) : data(view.data), shape(view.shape) {}  // NOLINT: on purpose

  Index size() const { return shape.size(); }
  Index rows() const { return shape.rows(); }
  Index cols() const { return shape.cols(); }
  const Real* row(Index r) const { return data + r * cols(); }
  const Real& operator[](Index i) const { return data[i]; }
  std::span<const Real> span() const { return {data, static_cast<std::size_t>(size())}; }
};

// An owned array, initially zero and aligned to 64 bytes. Copies are explicit: clone().
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape);
  Tensor(Shape shape, std::span<const Real> values);  // throws ShapeError when sizes differ

  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  Tensor clone() const;

  const Shape& shape() const { return shape_; }
  Index size() const { return data_ ? shape_.size() : 0; }
  bool empty() const { return size() == 0; }
  Real* data() { return data_.get(); }
  const Real* data() const { return data_.get(); }
  View view() { return {data_.get(), shape_}; }
  ConstView view() const { return {data_.get(), shape_}; }
  // The same elements with another shape of equal size.
  View view_as(Shape shape);
  Real& operator[](Index i) { return data_.get()[i]; }
  const Real& operator[](Index i) const { return data_.get()[i]; }
  std::span<Real> span() { return {data_.get(), static_cast<std::size_t>(size())}; }
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
