// Every attention map of one image and its caption: among the tokens and regions of the encoder,
// among the words, and from the words to the regions, in every layer and head.
#pragma once

#include <vector>

#include "captioning/model.h"

namespace saccade {

struct LayerMap {
  Index layer = 0, head = 0;  // from 0
  Tensor weights;             // [T, S]: row t has the weights that query t gives
};

// All lists are by layer, then by head.
struct CaptionMaps {
  Index placeless = 0;            // P tokens before the regions of `tokens`
  bool class_token = false;       // whether the first of them is the class token
  std::vector<LayerMap> tokens;   // [P + L, P + L] of the encoder's blocks
  std::vector<LayerMap> regions;  // [L, L] of the refinement; linformer: [L, mixtures]
  // [C, C] of a caption of C words: row t has the weights that the decoder gives, when it predicts
  // word t, to what it has read: <bos> in column 0 and word s - 1 in column s. What it has not read
  // has weight 0.
  std::vector<LayerMap> words;
  // [C, L] of the attention of words to the regions: that of their own steps, or of later ones
  // (DecodedCaption::map_step); one head where a mechanism returns only the mean of its heads.
  std::vector<LayerMap> cross;
};

// The maps of one image and of the caption that `model` decoded for it, with the regions that it
// chose. Those of parts that a model does not have are empty; `words` and `cross` are empty where
// the caption has no word, or its words were put together from pieces.
CaptionMaps caption_maps(const Captioner& model, const InputView& input,
                         const DecodedCaption& caption);

}  // namespace saccade
