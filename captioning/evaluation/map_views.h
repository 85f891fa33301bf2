// Views of the maps of a caption's words: of one layer and head, of all of them, of their fusion,
// and rolled out through the encoder's blocks, which mix the regions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/evaluation/caption_maps.h"
#include "core/attention/map_fusion.h"

namespace saccade {

// Which of several layers is taken, or which of several heads.
struct MapChoice {
  enum class Kind { kOne, kEach, kFused };
  Kind kind = Kind::kFused;
  Index number = 0;               // for kOne
  Fusion fusion = Fusion::kMean;  // for kFused
};

struct MapRequest {
  std::optional<MapChoice> layer{};  // none: the last layer
  MapChoice head{};                  // heads are fused before layers
  bool rollout = false;
  double discard = 0;  // for the rollout (core/attention/sequence/rollout.h)
};

struct MapView {
  std::string layer, head;  // numbers, or names of fusions; empty for a rollout of the encoder
  // Whether there is only one to choose from. Titles leave it out then.
  bool one_layer = false, one_head = false;
  std::optional<Index> decoder_layer{};  // its number, where the view is of one layer
  bool last = false;                     // whether that layer is the last
  bool rollout = false;
  std::vector<std::vector<float>> maps{};  // [T] of [L]
  // [T] the weight of tokens without a place, which `maps` leave out; empty without such tokens.
  std::vector<float> elsewhere{};
};

// What each region is made of, by attention rollout through the encoder's blocks (with heads fused
// by their mean) and then through the refinement's: [L, P + L], whose rows sum to 1. It is the
// identity where neither mixes regions. Throws ShapeError where their weights are no shares.
Tensor region_rollout(const CaptionMaps& maps, double discard);

// The maps [C, L] of a caption's words, by layer, then by head. Rolled out, a map is the weights
// times region_rollout(): it lies on what the encoder's first block gets, and together with
// `elsewhere` it sums to what the weights sum to. Empty where the caption has no word. Throws
// ShapeError for numbers of layers or heads that the maps lack.
std::vector<MapView> map_views(const CaptionMaps& maps, const MapRequest& request);

// The maps of the encoder's class token over the regions: in every layer the map of every head and,
// if there are several heads, their mean; and last the rollout through all blocks. Empty without a
// class token.
std::vector<MapView> class_token_views(const CaptionMaps& maps, double discard);

// "the map 2 steps after the word's own" (see search/later_maps.h); empty for step 0.
std::string later_map_name(Index step);

// "layer 0, head mean, rollout"; empty where there is one layer, one head and no rollout.
std::string view_title(const MapView& view);

}  // namespace saccade
