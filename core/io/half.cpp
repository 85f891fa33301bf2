#include "core/io/half.h"

#include <bit>

#include "core/base/error.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace saccade {

namespace {

// value >> shift, rounded to the nearest, ties to even.
std::uint32_t round_shift(std::uint32_t value, unsigned shift) {
  const std::uint32_t half = 1U << (shift - 1);
  const std::uint32_t odd = (value >> shift) & 1U;
  return (value + half - 1 + odd) >> shift;
}

}  // namespace

std::uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t size = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (size > 0x7F800000U) {
    half = 0x7E00U;  // NaN
  } else if (size >= 0x477FF000U) {
    half = 0x7C00U;  // infinity: 65520 and more
  } else if (size >= 0x38800000U) {
    half = round_shift(size - (112U << 23), 13);  // the exponent's bias is 15 instead of 127
  } else if (size > 0x33000000U) {
    half = round_shift((size & 0x7FFFFFU) | 0x800000U, 126U - (size >> 23));  // subnormal
  }
  return static_cast<std::uint16_t>(sign | half);
}

float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31U, mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float size = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -size : size;
  }
  const std::uint32_t wide = exponent == 31 ? 255U : exponent + 112U;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

void halves_from_floats(std::span<const float> values, std::span<std::uint16_t> halves) {
  SACCADE_ASSERT(values.size() == halves.size(), "halves of another count");
  std::size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= values.size(); i += 8) {
    const __m128i eight = _mm256_cvtps_ph(_mm256_loadu_ps(values.data() + i),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(halves.data() + i), eight);
  }
#endif
  for (; i < values.size(); ++i) halves[i] = half_from_float(values[i]);
}

void floats_from_halves(std::span<const std::uint16_t> halves, std::span<float> values) {
  SACCADE_ASSERT(values.size() == halves.size(), "halves of another count");
  std::size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= values.size(); i += 8) {
    const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves.data() + i));
    _mm256_storeu_ps(values.data() + i, _mm256_cvtph_ps(eight));
  }
#endif
  for (; i < values.size(); ++i) values[i] = float_from_half(halves[i]);
}

}  // namespace saccade
