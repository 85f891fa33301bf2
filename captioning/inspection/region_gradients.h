// The gradient that reaches each region through attention, word by word, and on which path: as a
// value (the context is sum_l alpha_l a_l) or as a key (from which alpha is made).
#pragma once

#include <span>

#include "captioning/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The gradients of a caption of T words, with <eos>, over L regions of D features.
struct RegionGradients {
  Tensor weights;  // [T, L]
  Tensor direct;   // [T, L, D], d cost / d a_l through the value
  Tensor score;    // [T, L, D], through the key
};

// The gradients of -log p of a whole caption, by teacher forcing without dropout, in the
// expectation over regions. They are exact: every word attends to two copies of the features, each
// a variable of its own. Keys are made from the first, and the second is weighed. The gradient of a
// copy is thus what reaches the regions through the glimpse and path of that word, including what
// comes through the decoder's state from later words. Summed over words and paths, it is the
// gradient of all glimpses. What the first state takes from the features is not in it. With one
// head, direct[t, l] = alpha_tl d cost / d context_t, of the context before its gate, so within a
// word its norm is proportional to the weight. `images` is one image, and the decoder's attention
// must be composed (core/attention/composed.h), with any number of heads. Throws ShapeError unless
// there is one caption.
RegionGradients region_gradients(const Decoder& decoder, std::span<const ConstView> parameters,
                                 const EncodedValues& images, const PackedCaptions& caption);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
