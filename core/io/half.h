// 16-bit floats (IEEE binary16) as bits: what halves a feature cache.
#pragma once

#include <cstdint>
#include <span>

namespace saccade {

// The nearest half, ties to even; beyond 65504 it is infinite.
std::uint16_t half_from_float(float value);
// Exact.
float float_from_half(std::uint16_t bits);

// The same for many, of equal count; with the processor's own conversion where there is one.
void halves_from_floats(std::span<const float> values, std::span<std::uint16_t> halves);
void floats_from_halves(std::span<const std::uint16_t> halves, std::span<float> values);

}  // namespace saccade
