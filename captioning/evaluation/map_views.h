// Views of the maps of a caption's words: of one layer and head, of all of them, of their fusion,
// and rolled out through the encoder's blocks, which mix the regions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/evaluation/caption_maps.h"
#include "core/attention/map_fusion.h"

namespace saccade {

// Which of several layers, or of several heads.
struct MapChoice {
  enum class Kind { kOne, kEach, kFused };
  Kind kind = Kind::kFused;
  Index number = 0;               // of kOne
  Fusion fusion = Fusion::kMean;  // of kFused
};

struct MapRequest {
  std::optional<MapChoice> layer{};  // none: the last
  MapChoice head{};                  // heads are fused before layers
  bool rollout = false;
  double discard = 0;  // of the rollout (core/attention/sequence/rollout.h)
};

struct MapView {
  std::string layer, head;  // numbers, or how they were fused; empty for a rollout of the encoder
  // Whether there is only one to choose from, which a title leaves out.
  bool one_layer = false, one_head = false;
  std::optional<Index> decoder_layer{};  // the layer of the decoder, where the view is of one layer
  bool last = false;                     // whether that layer is the last
  bool rollout = false;
  std::vector<std::vector<float>> maps{};  // [T] of [L]
  // [T] the weight of tokens without a place, which is not in maps; empty without such tokens.
  std::vector<float> elsewhere{};
};

// What each region is made of by attention rollout through the encoder's blocks (heads fused by
// their mean) and then the refinement's: [L, P + L], rows sum to 1; the identity where neither
// mixes regions. Throws ShapeError where their weights are no shares.
Tensor region_rollout(const CaptionMaps& maps, double discard);

// The maps [C, L] of a caption's words, by layer, then by head. Rolled out a map is the weights
// times region_rollout(): it lies on what the encoder's first block gets, and sums with `elsewhere`
// to what the weights sum to. Empty where the caption has no word. Throws ShapeError on numbers
// that the maps lack.
std::vector<MapView> map_views(const CaptionMaps& maps, const MapRequest& request);

// The maps of the encoder's class token over the regions: in every layer head by head and, of
// several heads, their mean; and last by rollout through all blocks. Empty without a class token.
std::vector<MapView> class_token_views(const CaptionMaps& maps, double discard);

// "the look 2 steps after the word's own", which later_maps.h explains; empty for step 0.
std::string later_map_name(Index step);

// "layer 0, head mean, rollout"; empty where there is one layer, one head and no rollout.
std::string view_title(const MapView& view);

}  // namespace saccade
