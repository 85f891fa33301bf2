// The gradient that reaches each region through attention: by word, by layer and head of the
// decoder, and by path, as a value (the context is sum_l alpha_l a_l) or as a key (from which alpha
// is made).
#pragma once

#include <span>
#include <vector>

#include "captioning/model/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What reaches the regions through one head of one layer, or through all heads of a layer: the
// weights of a caption's T words, and the Euclidean norms of the gradients beside them.
struct HeadGradients {
  Index layer = 0,
        head = 0;  // from 0; head -1: all heads of the layer, with the mean of their maps
  Tensor weights, direct, score;  // [T, L] each
};

// The gradients of a caption of T words, with <eos>, over L regions of D features.
struct RegionGradients {
  Index layers = 1, heads = 1;
  Tensor weights;  // [T, L], the mean over heads, of the last layer
  Tensor direct;   // [T, L, D], d cost / d a_l through the values of all layers and heads
  Tensor score;    // [T, L, D], through their keys; [T, L, K] where keys are vectors of their own
  // By layer: all heads and, where there are several, each of them. Weights are those of the layer
  // and head whose keys and values the gradients went through.
  std::vector<HeadGradients> parts;
};

// The gradients of -log p of a whole caption, by teacher forcing without dropout, in the
// expectation over regions. They are exact: every word attends to keys and values that are
// variables of their own in every layer and head, and what reaches them is carried back to the
// regions through what made them. It is thus what reaches the regions through that glimpse and
// path, including what comes through the decoder's state from later words and layers. Summed over
// words, layers, heads and paths, it is the gradient of all glimpses. What the first state takes
// from the features is not in it. With one head and layer, direct[t, l] = alpha_tl d cost / d
// context_t, of the context before its gate, so within a word its norm is proportional to the
// weight. `images` is one image, and the decoder's attention must be composed
// (core/attention/composed.h), with any number of heads. Throws ShapeError unless there is one
// caption.
RegionGradients region_gradients(const Decoder& decoder, std::span<const ConstView> parameters,
                                 const EncodedValues& images, const PackedCaptions& caption);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
