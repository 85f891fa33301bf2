// Weights in the layout in which products of rounded operands read them fastest. oneDNN brings them
// there, too, but takes up to six times as long.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace saccade::kernels_detail {

// Rounds B [k, n] to bfloat16 and writes it as oneDNN's layout BA16a64b2a: blocks of 64 columns, in
// them pairs of rows, in them the two numbers of each column. Zeros fill up rows to a multiple of
// 32 that is at least `rows`, and columns to one of 64. `width` is the distance of rows in B or, if
// it is transposed, of columns.
void pack_rounded(const float* b, bool transposed, Index k, Index rows, Index n, Index width,
                  std::uint16_t* to);

// Weights [taps, in, out] of a convolution, whose rows are `width` apart, and what multiplies those
// of an output channel; null: nothing does.
struct ConvWeights {
  const float *data, *gain;
  Index taps, in, out, width;
};
// The products of a tap, rounded, to their places in oneDNN's layouts AcdB32a2b and AcdB64a2b, [out
// / block, taps, in / 2, block, 2]. `in` is even and `block` divides `out`.
void pack_rounded_outputs(const ConvWeights& w, Index block, Index tap, std::uint16_t* to);
// The same for ABcd8a16b2a, [out / 16, in / 16, taps, 8, 16, 2], whose pairs are of outputs. 16
// divides `in`, and 32 `out`.
void pack_rounded_inputs(const ConvWeights& w, Index tap, std::uint16_t* to);

}  // namespace saccade::kernels_detail
