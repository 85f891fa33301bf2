#include "captioning/evaluation/input_batch.h"

#include <vector>

namespace saccade {

Tensor input_batch(const DatasetInputs& inputs, std::span<const Index> images) {
  const Shape one = inputs.shape();
  std::vector<Index> extents{static_cast<Index>(images.size())};
  for (int axis = 0; axis < one.rank(); ++axis) extents.push_back(one[axis]);
  Tensor batch(Shape::of(extents.data(), static_cast<int>(extents.size())));
  const auto size = static_cast<std::size_t>(one.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    inputs.load(images[i], batch.span().subspan(i * size, size));
  }
  return batch;
}

}  // namespace saccade
