#include "core/tensor/shape.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

Shape::Shape(std::initializer_list<Index> extents)
    : Shape(of(extents.begin(), static_cast<int>(extents.size()))) {}

Shape Shape::of(const Index* extents, int rank) {
  SACCADE_CHECK(rank >= 0 && rank <= kMaxRank, "[shape] rank must be 0 to 5; got ", rank);
  Shape shape;
  shape.rank_ = rank;
  for (int i = 0; i < rank; ++i) {
    SACCADE_CHECK(extents[i] >= 0, "[shape] extents must not be negative; got ", extents[i]);
    shape.extents_[static_cast<std::size_t>(i)] = extents[i];
  }
  return shape;
}

Index Shape::size() const {
  Index product = 1;
  for (int i = 0; i < rank_; ++i) product *= extents_[static_cast<std::size_t>(i)];
  return product;
}

Shape Shape::with_first(Index extent) const {
  SACCADE_CHECK(rank_ > 0, "[shape] a scalar has no first extent");
  Shape shape = *this;
  shape.extents_[0] = extent;
  return shape;
}

Shape Shape::with_last(Index extent) const {
  SACCADE_CHECK(rank_ > 0, "[shape] a scalar has no last extent");
  Shape shape = *this;
  shape.extents_[static_cast<std::size_t>(rank_ - 1)] = extent;
  return shape;
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ &&
         std::equal(extents_.begin(), extents_.begin() + rank_, other.extents_.begin());
}

std::string Shape::text() const {
  std::string out = "[";
  for (int i = 0; i < rank_; ++i) out += (i ? ", " : "") + std::to_string((*this)[i]);
  return out + "]";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.text(); }

}  // namespace saccade
