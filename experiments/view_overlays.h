// What the overlay drawing shows of one picture: its words as they are or as views of them, and
// what the class token attends to.
#pragma once

#include <string>
#include <vector>

#include "captioning/evaluation/caption_json.h"
#include "vision/overlay.h"

namespace saccade {

// A caption as the overlay drawing takes it. Throws ShapeError when weights and grid do not fit.
Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source);

// ".layer-0.head-mean.rollout": what files of a view are called.
std::string view_suffix(const MapView& view);

// What is drawn of a map. Files of numbers keep the weights.
enum class MapMeasure { kWeight, kRelative, kGated };
constexpr auto enum_table(MapMeasure) {
  return enum_rows<MapMeasure>(
      {{MapMeasure::kWeight, "weight", "the attention weights"},
       {MapMeasure::kRelative, "relative", "the weights over equal ones, which are marked as 1"},
       {MapMeasure::kGated, "gated", "the weights times the word's gate"}});
}

// The overlay with its weights as the measure has them. Throws UsageError where a word has no gate
// to be measured by.
Overlay measured(Overlay overlay, MapMeasure measure);

struct ViewOverlay {
  std::string suffix;  // of its files, empty where it is the only one
  Overlay overlay;
};

// The overlay once per view of the record, and as it is where the record has none. A chosen cell
// and a gate are shown where a view is of the glimpse that they belong to.
std::vector<ViewOverlay> view_overlays(const Overlay& overlay, const CaptionRecord& record);

// The record's class-token maps, with one panel each.
Overlay class_token_overlay(const Overlay& overlay, const CaptionRecord& record);

}  // namespace saccade
