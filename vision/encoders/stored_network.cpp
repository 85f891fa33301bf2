#include "vision/encoders/stored_network.h"

#include "core/base/error.h"
#include "core/io/half.h"

namespace saccade {

namespace {

[[noreturn]] void refuse() {
  throw DataError("the stored network of the encoder has other numbers than its definition asks");
}

}  // namespace

void StoredNetwork::add(std::span<const Index> shape, std::span<const float> numbers) {
  std::vector<float>& to = keeps_32_bits(shape) ? vectors : weights;
  to.insert(to.end(), numbers.begin(), numbers.end());
}

std::span<const float> StoredNumbers::take(std::span<const Index> shape) {
  std::span<const float>& from = keeps_32_bits(shape) ? vectors_ : weights_;
  std::size_t count = 1;
  for (const Index extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count))
      refuse();
  if (count > from.size()) refuse();
  const std::span<const float> numbers = from.first(count);
  from = from.subspan(count);
  return numbers;
}

void StoredNumbers::check_end() const {
  if (!weights_.empty() || !vectors_.empty()) refuse();
}

}  // namespace saccade
