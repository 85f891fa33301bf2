// The gradient that reaches each region through attention, word by word, and by which path: as a
// value (the context is sum_l alpha_l a_l) or as a key (what alpha is made from).
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

// Teacher forcing without dropout, in the expectation over regions; the cost is -log p of the whole
// caption. It is exact: every word attends to two copies of the features that are variables of
// their own, one that keys are made of and one that is weighed, so that the gradient of a copy is
// what reaches the regions through the glimpse and path of that word, with the share of later words
// through the decoder's state. Summed over words and paths it is the gradient of all glimpses. What
// the first state takes from the features is not in it. With one head direct[t, l] = alpha_tl d
// cost / d context_t, the context before its gate, so within a word its norm is proportional to the
// weight. `images` is one image; the decoder's attention must be composed
// (core/attention/composed.h), with any number of heads. Throws ShapeError unless there is one
// caption.
RegionGradients region_gradients(const Decoder& decoder, std::span<const ConstView> parameters,
                                 const EncodedValues& images, const PackedCaptions& caption);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
