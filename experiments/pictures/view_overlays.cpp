#include "experiments/pictures/view_overlays.h"

#include <algorithm>

#include "captioning/model/maps/caption_text.h"
#include "core/base/error.h"

namespace saccade {

Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source) {
  Overlay overlay{.image = std::make_shared<const Image>(std::move(picture)),
                  .geometry = record.geometry,
                  .tokens = record.tokens,
                  .words = {},
                  .caption = caption_text(record.caption, *source.vocabulary)};
  for (const DecodedWord& word : record.caption.words)
    overlay.words.push_back({.text = word_text(word, *source.vocabulary),
                             .map = word.map,
                             .log_probability = word.log_prob});
  return overlay;
}

std::string view_suffix(const AttentionMap& map) {
  return str(".layer-", map.layer.name(), ".head-", map.head.name(), map.rollout ? ".rollout" : "");
}

std::vector<ViewOverlay> view_overlays(const Overlay& overlay, const CaptionRecord& record,
                                       MapMeasure measure) {
  std::vector<MapView> views = record.views;
  if (views.empty()) {
    MapView& own = views.emplace_back();
    for (const DecodedWord& word : record.caption.words) own.push_back(word.map);
  }
  std::vector<ViewOverlay> out;
  for (const MapView& view : views) {
    ViewOverlay& one = out.emplace_back(ViewOverlay{.suffix = "", .overlay = overlay});
    if (view.empty()) continue;  // a caption without a word
    if (views.size() > 1) one.suffix = view_suffix(view[0]);
    if (const std::string title = view_title(view[0]); !record.views.empty() && !title.empty())
      one.overlay.title += ", " + title;
    one.overlay.measure = measure;
    for (std::size_t w = 0; w < overlay.words.size(); ++w) {
      if (measure == MapMeasure::kGated && !view.at(w).gate)
        throw UsageError(
            "--measure gated: the maps that are drawn have no gate; choose weight or relative");
      one.overlay.words[w].map = view[w];
    }
  }
  return out;
}

bool is_drawn(const LabelledMap& word, const std::vector<std::string>& words) {
  return words.empty() || std::find(words.begin(), words.end(), word.text) != words.end();
}

Overlay only_words(Overlay overlay, const std::vector<std::string>& words) {
  std::erase_if(overlay.words, [&](const LabelledMap& word) { return !is_drawn(word, words); });
  return overlay;
}

Overlay class_token_overlay(const Overlay& overlay, const CaptionRecord& record) {
  Overlay out = overlay;
  out.title += ", the class token's weight on each patch";
  out.words.clear();
  for (const MapView& view : record.class_token) {
    const std::string title = view_title(view[0]);
    out.words.push_back({.text = title.empty() ? "class token" : title, .map = view[0]});
  }
  return out;
}

}  // namespace saccade
