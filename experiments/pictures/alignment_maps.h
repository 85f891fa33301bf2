// The attention matrices of one picture or text as heat maps: words x regions, regions x regions
// and words x words. The regions of a text are its tokens, and its padding is left out.
#pragma once

#include <vector>

#include "captioning/model/maps/caption_record.h"
#include "vision/drawing/heat_map.h"
#include "vision/drawing/overlay.h"

namespace saccade {

// The alignment matrix of a caption with words, words x regions in reading order, with the weights
// of the overlay; the last column is the sentinel where there is one. With several heads the first
// matrix is their mean, and one matrix for each head of the last layer follows, without the
// sentinel.
std::vector<HeatMap> make_alignments(const Overlay& overlay, const DecodedCaption& caption);

// The matrix of one view of the words' maps, words x regions. The last column of a rollout is the
// weight that lands on tokens without a place on the picture.
HeatMap make_view_map(const Overlay& overlay, const MapView& view);

// A map in which the picture's regions attend to each other (EncoderMaps::regions), or the
// encoder's tokens do (EncoderMaps::tokens), of which the first `placeless` have no place on the
// picture.
HeatMap make_region_map(const Overlay& overlay, const LayerMap& map, const RegionLayout& layout,
                        Index placeless = 0);

// A map in which the caption's words attend to the words before them (word_maps()).
HeatMap make_word_map(const Overlay& overlay, const LayerMap& map);

}  // namespace saccade
