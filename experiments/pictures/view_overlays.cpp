#include "experiments/pictures/view_overlays.h"

#include <algorithm>

#include "captioning/model/maps/caption_text.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// A word with a map as it is drawn.
OverlayWord overlay_word(const std::string& text, const AttentionMap& map) {
  OverlayWord out{.text = text, .weights = map.weights, .uniform = is_uniform(map)};
  if (map.gate) out.gate = static_cast<float>(*map.gate);
  if (map.chosen >= 0) out.chosen = map.chosen;
  return out;
}

// ", largest of the heads"; empty where one head was taken.
std::string fusion_name(const MapPart& part, const char* of) {
  if (!part.fused || part.count == 1) return "";
  const Fusion fused = *part.fused;
  return str(", ",
             fused == Fusion::kMax   ? "largest"
             : fused == Fusion::kMin ? "smallest"
                                     : "mean",
             " of the ", of);
}

std::string weight_name(const AttentionMap& map) {
  return str("attention weight", fusion_name(map.head, "heads"), fusion_name(map.layer, "layers"));
}

std::string measure_name(MapMeasure measure) {
  return measure == MapMeasure::kRelative ? " over equal weights (line: 1)"
         : measure == MapMeasure::kGated  ? " times the gate"
                                          : "";
}

}  // namespace

Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source) {
  Overlay overlay{.image = std::make_shared<const Image>(std::move(picture)),
                  .geometry = record.geometry,
                  .grid = source.grid,
                  .tokens = record.tokens,
                  .words = {},
                  .caption = caption_text(record.caption, *source.vocabulary)};
  if (!record.caption.words.empty()) overlay.weight_name = weight_name(record.caption.words[0].map);
  for (const DecodedWord& word : record.caption.words) {
    overlay.words.push_back(overlay_word(word_text(word, *source.vocabulary), word.map));
    overlay.words.back().log_probability = static_cast<float>(word.log_prob);
  }
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
    one.overlay.weight_name = weight_name(view[0]) + measure_name(measure);
    if (measure == MapMeasure::kRelative) one.overlay.mark = 1;
    for (std::size_t w = 0; w < overlay.words.size(); ++w) {
      if (measure == MapMeasure::kGated && !view.at(w).gate)
        throw UsageError(
            "--measure gated: the maps that are drawn have no gate; choose weight or relative");
      OverlayWord& word = one.overlay.words[w];
      word = overlay_word(word.text, view.at(w));
      word.weights = measured(view[w], measure).weights;
      word.log_probability = overlay.words[w].log_probability;
    }
  }
  return out;
}

bool is_drawn(const OverlayWord& word, const std::vector<std::string>& words) {
  return words.empty() || std::find(words.begin(), words.end(), word.text) != words.end();
}

Overlay only_words(Overlay overlay, const std::vector<std::string>& words) {
  std::erase_if(overlay.words, [&](const OverlayWord& word) { return !is_drawn(word, words); });
  return overlay;
}

Overlay class_token_overlay(const Overlay& overlay, const CaptionRecord& record) {
  Overlay out = overlay;
  out.title += ", the class token's weight on each patch";
  out.words.clear();
  out.weight_name = "attention weight";
  for (const MapView& view : record.class_token) {
    const std::string title = view_title(view[0]);
    out.words.push_back(
        {.text = title.empty() ? "class token" : title, .weights = view[0].weights});
  }
  return out;
}

}  // namespace saccade
