#include "core/io/half.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/base/error.h"

namespace saccade {

namespace {

static_assert(sizeof(Eigen::half) == sizeof(std::uint16_t));

using Halves = Eigen::Array<Eigen::half, Eigen::Dynamic, 1>;

}  // namespace

std::uint16_t half_from_float(float value) {
  return Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value));
}

float float_from_half(std::uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

void halves_from_floats(std::span<const float> values, std::span<std::uint16_t> halves) {
  SACCADE_ASSERT(values.size() == halves.size(), "halves of another count");
  const auto count = static_cast<Eigen::Index>(values.size());
  Eigen::Map<Halves>(reinterpret_cast<Eigen::half*>(halves.data()), count) =
      Eigen::Map<const Eigen::ArrayXf>(values.data(), count).cast<Eigen::half>();
}

void floats_from_halves(std::span<const std::uint16_t> halves, std::span<float> values) {
  SACCADE_ASSERT(values.size() == halves.size(), "halves of another count");
  const auto count = static_cast<Eigen::Index>(halves.size());
  Eigen::Map<Eigen::ArrayXf>(values.data(), count) =
      Eigen::Map<const Halves>(reinterpret_cast<const Eigen::half*>(halves.data()), count)
          .cast<float>();
}

bool keeps_32_bits(std::span<const Index> shape) {
  return std::count_if(shape.begin(), shape.end(), [](Index extent) { return extent > 1; }) <= 1;
}

}  // namespace saccade
