// The counterpart of golden_arrays.py: the formula of weights and inputs, and the files of results.
#pragma once

#include "core/io/safetensors.h"
#include "core/io/torch_weights.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade::test {

// `count` numbers in [-1/2, 1/2).
inline std::vector<double> golden_unit(const std::string& name, Index count) {
  std::uint64_t seed = 0xCBF29CE484222325;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  std::vector<double> numbers;
  for (Index i = 1; i <= count; ++i) {
    std::uint64_t z = seed + static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    numbers.push_back(static_cast<double>(z >> 40) / 0x1p24 - 0.5);
  }
  return numbers;
}

// The same numbers times `scale`, in torch's order.
inline std::vector<Real> golden_numbers(const std::string& name, Index count, double scale = 1) {
  std::vector<Real> values;
  for (const double unit : golden_unit(name, count))
    values.push_back(static_cast<Real>(static_cast<float>(scale * unit)));
  return values;
}

// A weight, by its name and its shape in torch, in torch's order.
inline std::vector<Real> golden_weight(const std::string& name, const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  if (shape.size() > 1)
    return golden_numbers(name, count, std::sqrt(24.0 / static_cast<double>(count / shape[0])));
  double scale = 0.5, from = 0.75;  // for the gain of a normalisation
  if (name.ends_with("running_mean") || name.ends_with("bias")) scale = 0.2, from = 0;
  if (name.ends_with("running_var")) scale = 1, from = 1;
  std::vector<Real> values;
  for (const double unit : golden_unit(name, count))
    values.push_back(static_cast<Real>(static_cast<float>(from + scale * unit)));
  return values;
}

// An array of the files that the make_*.py of this folder wrote.
inline std::vector<float> golden(const std::string& name) {
  static const SafetensorsFile files[] = {
      SafetensorsFile(SACCADE_GOLDEN_FILE), SafetensorsFile(SACCADE_FORMULAS_FILE),
      SafetensorsFile(SACCADE_EFFICIENTNET_LITE ".safetensors")};
  INFO(name);
  const SafetensorsEntry* entry = nullptr;
  std::vector<float> values;
  for (const SafetensorsFile& file : files)
    if (!entry && (entry = file.find(name))) values = file.floats(*entry);
  REQUIRE(entry != nullptr);
  return values;
}

// The largest difference as a share of `scale`; infinite if the counts differ or a number is not
// finite.
inline double golden_difference(std::span<const float> expected, std::span<const Real> got,
                                double scale) {
  if (expected.size() != got.size() || expected.empty()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = std::abs(double{expected[i]} - double{got[i]});
    if (!std::isfinite(d)) return INFINITY;
    most = std::max(most, d);
  }
  return most / scale;
}

// The largest absolute value.
inline double largest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) most = std::max(most, std::abs(double{value}));
  return most;
}

// The difference as a share of the largest expected number.
inline double golden_difference(const std::string& name, std::span<const Real> got) {
  const std::vector<float> expected = golden(name);
  return golden_difference(expected, got, largest(expected));
}

}  // namespace saccade::test
