// A caption of an image with everything that is shown of it: what the overlay, the JSON and the
// pages are made from.
#pragma once

#include <string>
#include <vector>

#include "captioning/model/decoders/regime.h"
#include "captioning/model/maps/map_views.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "vision/images/geometry.h"

namespace saccade {

// What all captions of a run share.
struct CaptionSource {
  const Vocabulary* vocabulary = nullptr;
  RegionLayout layout{};
  Regime regime = Regime::kExpectation;
  std::vector<std::string> members{};  // the members of an ensemble
  bool alternatives = false;           // whether further captions were requested
  std::vector<std::string> without{};  // the heads that the model did without
  bool given = false;                  // whether the captions were given and not searched
};

struct CaptionRecord {
  std::string image;  // its path or id; empty for a picture without a name
  DecodedCaption caption;
  Geometry geometry;
  std::vector<std::string> tokens{};   // of a text, which stand in the first cells of the grid
  std::vector<MapView> views{};        // of the words, where they are shown
  std::vector<MapView> class_token{};  // of the class token, in the same way
  std::string whole{};  // the text of the caption of the model with all heads, if it lacks some
};

}  // namespace saccade
