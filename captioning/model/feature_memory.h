// Features of images held in memory. Private to captioning.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/io/half.h"

namespace saccade {

// The numbers as 16 bits would keep them.
inline void round_to_halves(std::span<float> values) {
  std::vector<std::uint16_t> halves(values.size());
  halves_from_floats(values, halves);
  floats_from_halves(halves, values);
}

// Rows of floats, or of 16-bit floats as in the cache on disk. All rows have the same width.
class FeatureMemory {
 public:
  FeatureMemory() = default;
  FeatureMemory(std::size_t rows, std::size_t width, bool half) : width_(width), half_(half) {
    (half ? halves_.resize(rows * width) : floats_.resize(rows * width));
  }

  bool empty() const { return floats_.empty() && halves_.empty(); }
  // Stores what `fill` writes into its argument. Several threads may fill rows.
  template <class Fill>
  void fill(std::size_t row, const Fill& fill) {
    if (!half_) return fill(std::span(floats_).subspan(row * width_, width_));
    std::vector<float> values(width_);
    fill(std::span(values));
    const auto halves = std::span(halves_).subspan(row * width_, width_);
    halves_from_floats(values, halves);
    for (const std::uint16_t bits : halves) {
      if (!std::isfinite(float_from_half(bits))) {
        throw UsageError("a feature is too large for 16 bits; set encoder.half to false");
      }
    }
  }

  void read(std::size_t row, std::span<float> out) const {
    if (half_) return floats_from_halves(std::span(halves_).subspan(row * width_, width_), out);
    const auto values = std::span(floats_).subspan(row * width_, width_);
    std::copy(values.begin(), values.end(), out.begin());
  }

 private:
  std::size_t width_ = 0;
  bool half_ = false;
  std::vector<float> floats_;
  std::vector<std::uint16_t> halves_;
};

}  // namespace saccade
