// The matrices of one picture's attention as heat maps: words x regions, regions x regions and
// words x words.
#pragma once

#include <vector>

#include "captioning/evaluation/caption_json.h"
#include "vision/heat_map.h"
#include "vision/overlay.h"

namespace saccade {

// The alignment matrix of a caption, words x regions in reading order, as the overlay has them, and
// behind them the sentinel where the source has one; with several heads that is their mean, and
// each head's own follows, regions only.
std::vector<HeatMap> make_alignments(const Overlay& overlay, const DecodedCaption& caption,
                                     const CaptionSource& source);

// The matrix of one view of the words' maps, words x regions; what a rollout left elsewhere is the
// last column.
HeatMap make_view_map(const Overlay& overlay, const MapView& view);

// A map of the picture's regions that attend to each other (CaptionMaps::regions), or of the
// encoder's tokens (CaptionMaps::tokens), of which `placeless` come before the regions.
HeatMap make_region_map(const Overlay& overlay, const LayerMap& map, Index placeless = 0);

// A map of the caption's words that attend to those before (CaptionMaps::words).
HeatMap make_word_map(const Overlay& overlay, const LayerMap& map);

}  // namespace saccade
