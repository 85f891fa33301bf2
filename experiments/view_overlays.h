// What the overlay drawing shows of one picture: the map of each word or views of it, and where the
// class token attends.
#pragma once

#include <string>
#include <vector>

#include "captioning/maps/caption_record.h"
#include "vision/overlay.h"

namespace saccade {

// A caption as the overlay drawing takes it. Throws ShapeError when weights and grid do not fit.
Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source);

// The suffix of the files of a view with such maps: ".layer-0.head-mean.rollout".
std::string view_suffix(const AttentionMap& map);

// What is drawn of a map. The files of numbers have the weights in any case.
enum class MapMeasure { kWeight, kRelative, kGated };
constexpr auto enum_table(MapMeasure) {
  return enum_rows<MapMeasure>(
      {{MapMeasure::kWeight, "weight", "the attention weights"},
       {MapMeasure::kRelative, "relative", "the weights divided by those of a uniform map"},
       {MapMeasure::kGated, "gated", "the weights times the word's gate"}});
}

// The overlay with its weights converted to the measure. Throws UsageError where kGated is asked
// for and a word has no gate.
Overlay measured(Overlay overlay, MapMeasure measure);

struct ViewOverlay {
  std::string suffix;  // of its files; empty where it is the only view
  Overlay overlay;
};

// One overlay for each view of the record; the overlay itself where the record has none.
std::vector<ViewOverlay> view_overlays(const Overlay& overlay, const CaptionRecord& record);

// The record's class-token maps, one panel for each.
Overlay class_token_overlay(const Overlay& overlay, const CaptionRecord& record);

}  // namespace saccade
