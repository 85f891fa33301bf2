// Every attention map of one image and its caption, in every layer and head: among the tokens and
// regions of the encoder, among the words, and from the words to the regions.
#pragma once

#include <vector>

#include "captioning/model.h"

namespace saccade {

struct LayerMap {
  Index layer = 0, head = 0;  // from 0
  Tensor weights;             // [T, S]: row t holds the weights that query t gives
};

// All lists are sorted by layer, then by head.
struct CaptionMaps {
  Index placeless = 0;            // P, tokens without a place, before the regions of `tokens`
  bool class_token = false;       // whether the first of them is the class token
  std::vector<LayerMap> tokens;   // [P + L, P + L] of the encoder's blocks
  std::vector<LayerMap> regions;  // [L, L] of the refinement; linformer: [L, mixtures]
  // [C, C] for a caption of C words: row t holds the weights that the decoder gives, when it
  // predicts word t, to what it has read: <bos> in column 0 and word s - 1 in column s. What it has
  // not read yet has weight 0.
  std::vector<LayerMap> words;
  // [C, L]: the attention of words to the regions, at their own steps or at later ones
  // (DecodedCaption::map_step). One head where a mechanism returns only the mean of its heads.
  std::vector<LayerMap> cross;
};

// The maps of one image and of the caption that `model` decoded for it, with the regions that it
// chose. The maps of parts that a model does not have are empty. `words` and `cross` are empty
// where the caption has no word, or where its words were put together from pieces.
CaptionMaps caption_maps(const CaptionModel& model, const InputView& input,
                         const DecodedCaption& caption);

}  // namespace saccade
