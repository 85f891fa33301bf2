// Every attention map of one image and its caption: what tokens and regions took from each other,
// what words did, and where each word looked in each layer and head.
#pragma once

#include <vector>

#include "captioning/model.h"

namespace saccade {

struct LayerMap {
  Index layer = 0, head = 0;  // from 0
  Tensor weights;             // [T, S]: row t is what thing t took
};

// Each by layer, then by head.
struct CaptionMaps {
  Index placeless = 0;            // P tokens before the regions of `tokens`
  bool class_token = false;       // the first of them is one
  std::vector<LayerMap> tokens;   // [P + L, P + L] of the encoder's blocks
  std::vector<LayerMap> regions;  // [L, L] of the refinement; linformer: [L, mixtures]
  // [C, C] of a caption of C words: row t is what the decoder took while it said word t from what
  // it had read, <bos> in column 0 and word s - 1 in column s; nothing from what was yet to come.
  std::vector<LayerMap> words;
  // [C, L] of the decoder's looks at the image, as the caption tells of them: its words' own, or so
  // many steps later (DecodedCaption::map_step); one head where a mechanism tells only their mean.
  std::vector<LayerMap> looks;
};

// The maps of one image and of the caption that `model` gave it, with the regions it chose. Those
// of parts that a model does not have are empty; words and looks are where the caption has no word,
// or its words were put together from pieces.
CaptionMaps caption_maps(const Captioner& model, const InputView& input,
                         const DecodedCaption& caption);

}  // namespace saccade
