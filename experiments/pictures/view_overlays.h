// What the overlay drawing shows of one picture: the map of each word or views of it, and where the
// class token attends.
#pragma once

#include <string>
#include <vector>

#include "captioning/model/maps/caption_record.h"
#include "vision/drawing/overlay.h"

namespace saccade {

// A caption as the overlay drawing takes it. Throws ShapeError when weights and grid do not fit.
Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source);

// The suffix of the files of a view with such maps: ".layer-0.head-mean.rollout".
std::string view_suffix(const AttentionMap& map);

struct ViewOverlay {
  std::string suffix;  // of its files; empty where it is the only view
  Overlay overlay;
};

// One overlay for each view of the record, or one of the words' own maps where it has none, drawn
// in a measure. Throws UsageError for
// kGated where a map has no gate.
std::vector<ViewOverlay> view_overlays(const Overlay& overlay, const CaptionRecord& record,
                                       MapMeasure measure = MapMeasure::kWeight);

// Whether a word is drawn where only the words of a list are (all, where the list is empty), and an
// overlay with no other words; its caption stays whole.
bool is_drawn(const LabelledMap& word, const std::vector<std::string>& words);
Overlay only_words(Overlay overlay, const std::vector<std::string>& words);

// The record's class-token maps, one panel for each.
Overlay class_token_overlay(const Overlay& overlay, const CaptionRecord& record);

}  // namespace saccade
