// 16-bit floats (IEEE binary16) as bits; they halve the size of a feature cache and of a checkpoint
// that is for captioning alone.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/real.h"

namespace saccade {

// The largest 16-bit float.
inline constexpr float kLargestHalf = 65504;

// The nearest 16-bit float, ties to even; infinity from 65520 on.
std::uint16_t half_from_float(float value);
// The exact value.
float float_from_half(std::uint16_t bits);

// The same for arrays of equal length, with the processor's own conversion where it has one.
void halves_from_floats(std::span<const float> values, std::span<std::uint16_t> halves);
void floats_from_halves(std::span<const std::uint16_t> halves, std::span<float> values);

// Whether weights of this shape keep 32 bits where the others get 16: vectors, that is, arrays with
// at most one extent above 1. Biases, and the factors and variances of normalisations, have few
// numbers and may be very small.
bool keeps_32_bits(std::span<const Index> shape);

}  // namespace saccade
