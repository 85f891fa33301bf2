// Attention maps that are whole matrices, one for each layer and head: of the tokens of an encoder,
// of the regions of a refinement, of the words of a decoder.
#pragma once

#include <vector>

#include "captioning/model/maps/decoded_caption.h"
#include "core/tensor/tensor.h"

namespace saccade {

// All weights of one layer and head of an attention among things of a kind: a matrix with one row
// for each token, region or word that attends, and one column for each that is attended to. An
// AttentionMap (core/attention/map.h), in contrast, is what a single word or token gives to the
// regions: one row, with their layout and whatever else is known of it.
struct LayerMap {
  Index layer = 0, head = 0;  // from 0
  Tensor weights;             // [T, S]: row t holds the weights that number t gives
  bool positions = true;  // whether each column is a thing of that kind; linformer's are mixtures
};

// The matrices of an encoder for one image, sorted by layer, then by head: of a transformer's
// blocks (`tokens`) and of a refinement (`regions`). inspection/encoder_maps.h makes them.
struct EncoderMaps {
  RegionLayout layout{};             // of L regions
  std::vector<std::uint8_t> mask{};  // [L] as AttentionMap::mask
  Index placeless = 0;               // P, tokens without a place, before the regions of `tokens`
  bool class_token = false;          // whether the first of them is the class token
  std::vector<LayerMap> tokens{};    // [P + L, P + L] of the encoder's blocks
  std::vector<LayerMap> regions{};   // [L, L] of the refinement; linformer: [L, mixtures]
};

// The recorded DecodedWord::self_attention of a caption of C words, as one map [C, C] for each
// layer and head: row t holds the weights that the decoder gives, when it predicts word t, to what
// it has read: <bos> in column 0 and word s - 1 in column s. What it has not read yet has weight 0.
// Empty where nothing was recorded.
std::vector<LayerMap> word_maps(const DecodedCaption& caption);

}  // namespace saccade
