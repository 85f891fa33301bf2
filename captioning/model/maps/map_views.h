// Views of the maps of a caption's words: of one layer and head, of all of them, of their fusion,
// and rolled out through the encoder's blocks, which mix the regions. A view is made of maps: one
// per word, with the layer and head that they were made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/model/maps/layer_maps.h"

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

// One map per word, or one of the class token: all of the same layer and head. It is not empty.
using MapView = std::vector<AttentionMap>;

// What each region is made of, by attention rollout through the encoder's blocks (with heads
// fused by their mean) and then through the refinement's: [L, P + L], whose rows sum to 1. It is
// the identity where neither mixes regions. With `elsewhere`, one more row is the mean of the
// tokens without a place. Throws ShapeError where their weights are no shares.
Tensor region_rollout(const EncoderMaps& maps, double discard, bool elsewhere = false);

// The maps of a caption's words, from those that were recorded (DecodedWord::parts), by layer, then
// by head. A map of one layer has the gate, sentinel and chosen cell of its glimpse. Rolled out, a
// map is the weights times region_rollout() of `encoder`, which nothing else reads: it lies on what
// the encoder's first block gets, and together with `elsewhere` it sums to what the weights sum to;
// no cell of it was chosen. Empty where the caption has no word. Throws ShapeError for numbers of
// layers or heads that were not recorded.
std::vector<MapView> map_views(const DecodedCaption& caption, const MapRequest& request,
                               const EncoderMaps& encoder = {});

// The maps of the encoder's class token over the regions: in every layer the map of every head and,
// if there are several heads, their mean; and last the rollout through all blocks, which is of no
// single layer or head. Empty without a class token.
std::vector<MapView> class_token_views(const EncoderMaps& maps, double discard);

// "layer 0, head mean, rollout"; empty where there is one layer, one head and no rollout.
std::string view_title(const AttentionMap& map);

}  // namespace saccade
