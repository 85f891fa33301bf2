// Captions with the attention of the model that decoded them, as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/maps/map_views.h"
#include "captioning/text/vocabulary.h"
#include "vision/encoders/grid.h"
#include "vision/geometry.h"

namespace saccade {

// What all captions of a run share.
struct CaptionSource {
  const Vocabulary* vocabulary = nullptr;
  GridShape grid{};
  Regime regime = Regime::kExpectation;
  std::vector<std::string> members{};  // the members of an ensemble
  bool alternatives = false;           // whether there are further captions
};

struct CaptionRecord {
  std::string image;  // its path or id
  DecodedCaption caption;
  Geometry geometry;
  std::vector<MapView> views{};        // of the words, where they are shown
  std::vector<MapView> class_token{};  // of the class token, in the same way
};

// {"image", "caption", "words": [{"text", "logprob", "gate", "sentinel", "attention", "sampled"}],
// "grid": {"rows", "cols"}, "geometry": {"original": [height, width], "resize", "seen": {"x", "y",
// "width", "height"}, "mirrored", "input": [height, width]}, "finished", "logprob", "regime",
// "map_step"}. attention is a list of the grid's rows, from the top; sampled is [row, col] of the
// region that hard attention took, else null; seen is in pixels of the original. map_step tells how
// many steps after the words' own their attention, gate, sentinel and sampled region come from
// (search/later_maps.h). Where there are views, there is also "maps": [{"layer": 0 or "max",
// "head", "rollout", "attention": one map per word, "elsewhere": one number per word, or null
// (map_views.h)}], and in the same way "class_token", with one map each, whose layer and head are
// null for the rollout. An ensemble has "members", and its attention, gates and sentinels are means
// (ensemble.h). Where several captions were requested there are "alternatives", the next best
// first: [{"caption", "words", "logprob"}].
std::string caption_json(const CaptionRecord& record, const CaptionSource& source);

// An array of such objects, one per line.
std::string captions_json(std::span<const CaptionRecord> records, const CaptionSource& source);

// The words of a caption, with one space between them.
std::string caption_text(const DecodedCaption& caption, const Vocabulary& vocabulary);

}  // namespace saccade
