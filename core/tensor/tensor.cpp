#include "core/tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {
constexpr std::align_val_t kAlignment{64};
}

void Tensor::Free::operator()(Real* data) const { ::operator delete(data, kAlignment); }

Tensor::Tensor(Shape shape) : shape_(shape) {
  const std::size_t bytes = static_cast<std::size_t>(shape.size()) * sizeof(Real);
  data_.reset(static_cast<Real*>(::operator new(std::max<std::size_t>(bytes, 64), kAlignment)));
  std::memset(data_.get(), 0, bytes);
}

Tensor::Tensor(Shape shape, std::span<const Real> values) : Tensor(shape) {
  SACCADE_CHECK(static_cast<Index>(values.size()) == shape.size(), "[tensor] shape ", shape,
                " holds ", shape.size(), " numbers; got ", values.size());
  std::copy(values.begin(), values.end(), data_.get());
}

Tensor Tensor::clone() const {
  if (!data_) return Tensor();
  return Tensor(shape_, span());
}

View Tensor::view_as(Shape shape) {
  SACCADE_CHECK(shape.size() == size(), "[tensor] cannot view ", shape_, " as ", shape);
  return {data_.get(), shape};
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
