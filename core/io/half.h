// 16-bit floats (IEEE binary16) as bits; they halve the size of a feature cache.
#pragma once

#include <cstdint>
#include <span>

namespace saccade {

// The nearest 16-bit float, ties to even; infinity from 65520 on.
std::uint16_t half_from_float(float value);
// The exact value.
float float_from_half(std::uint16_t bits);

// The same for arrays of equal length, with the processor's own conversion where it has one.
void halves_from_floats(std::span<const float> values, std::span<std::uint16_t> halves);
void floats_from_halves(std::span<const std::uint16_t> halves, std::span<float> values);

}  // namespace saccade
