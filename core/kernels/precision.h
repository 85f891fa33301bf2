// How the operands of matrix products and convolutions are rounded before they are multiplied.
// Sums, results, weights and everything else stay 32-bit floats.
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/tensor.h"

namespace saccade {

// kBf16 rounds to bfloat16, the upper half of a 32-bit float: 8 bits of precision.
enum class Precision { kF32, kBf16 };

// Whether this processor multiplies bfloat16 numbers itself (AVX-512 BF16). Others would have to
// compute it from 32-bit products, which is slower than not rounding.
bool multiplies_bf16();

// What products compute with from now on, in every thread of the process; 32-bit floats at first.
// Throws UsageError for kBf16 where the processor does not multiply such numbers.
void set_precision(Precision precision);
Precision precision();

// By how much products of rounded operands are faster here than those of 32-bit floats, measured
// in about a tenth of a second on the calling thread; 0 where the processor does not multiply them.
double measure_bf16_speedup();

// x rounded to the nearest bfloat16 number, ties to even; NaN stays NaN, and what is below 2^-126
// becomes 0, as in products. `to` has as many numbers.
void round_to_bf16(std::span<const float> x, std::uint16_t* to);

}  // namespace saccade
