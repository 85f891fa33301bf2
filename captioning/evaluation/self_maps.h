// Maps of things that look at each other while one image is captioned: the regions of a refinement,
// the words of a transformer decoder.
#pragma once

#include <vector>

#include "captioning/model.h"

namespace saccade {

struct SelfMap {
  Index layer = 0, head = 0;  // from 0
  Tensor weights;             // [T, S]: row t is what thing t took
};

// By layer, then by head.
struct SelfMaps {
  std::vector<SelfMap> regions;  // [L, L] in reading order; linformer: [L, mixtures]
  // [C, C] of a caption of C words: row t is what the decoder took while it said word t from what
  // it had read, <bos> in column 0 and word s - 1 in column s; nothing from what was yet to come.
  std::vector<SelfMap> words;
};

// The maps of an image, input [1, ...Captioner::input_shape()], and of the caption that `model`
// gave it, with the regions it chose. Empty where a model has no refinement, or a decoder whose
// words do not look at words.
SelfMaps self_maps(const Captioner& model, ConstView input, const DecodedCaption& caption);

}  // namespace saccade
