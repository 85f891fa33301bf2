#include "experiments/view_overlays.h"

#include "captioning/evaluation/attention_health.h"
#include "captioning/whole_words.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// Whether a map is uniform by the rule of attention_health.h, over the regions that show the
// picture.
bool is_uniform(const std::vector<float>& map, const DecodedCaption& caption) {
  return map_entropy(map, caption.counts).value_or(0) > kUniformEntropy;
}

// The word with the map that a view shows for it.
OverlayWord seen(OverlayWord word, const DecodedWord& decoded, const MapView& view,
                 const std::vector<float>& map) {
  word.weights = map;
  if (!view.last) word.gate.reset();
  word.sampled.reset();
  if (!view.decoder_layer || view.rollout) return word;
  const auto layer = static_cast<std::size_t>(*view.decoder_layer);
  const int chosen = decoded.choices.empty() ? decoded.chosen : decoded.choices.at(layer);
  if (chosen >= 0) word.sampled = chosen;
  return word;
}

// ", largest of the heads"; empty where one head was taken.
std::string fusion_name(const std::string& name, const char* of) {
  if (name != "mean" && name != "max" && name != "min") return "";
  return str(", ", name == "max" ? "largest" : name == "min" ? "smallest" : "mean", " of the ", of);
}

std::string weight_name(const MapView& view) {
  return str("attention weight", view.one_head ? "" : fusion_name(view.head, "heads"),
             view.one_layer ? "" : fusion_name(view.layer, "layers"));
}

}  // namespace

Overlay make_overlay(Image picture, const CaptionRecord& record, const CaptionSource& source) {
  Overlay overlay{.image = std::make_shared<const Image>(std::move(picture)),
                  .geometry = record.geometry,
                  .rows = source.grid.rows,
                  .cols = source.grid.cols,
                  .words = {},
                  .caption = caption_text(record.caption, *source.vocabulary)};
  if (!record.caption.words.empty() && record.caption.words[0].heads.size() > 1)
    overlay.weight_name += fusion_name("mean", "heads");
  for (const DecodedWord& word : record.caption.words) {
    OverlayWord out{.text = word_text(word, *source.vocabulary),
                    .weights = word.attention,
                    .log_probability = static_cast<float>(word.log_prob),
                    .uniform = is_uniform(word.attention, record.caption)};
    if (source.gated) out.gate = static_cast<float>(word.gate);
    if (word.chosen >= 0) out.sampled = word.chosen;
    overlay.words.push_back(std::move(out));
  }
  return overlay;
}

Overlay measured(Overlay overlay, MapMeasure measure) {
  if (measure == MapMeasure::kWeight) return overlay;
  const CellBlock cells = picture_cells(picture_area(overlay.geometry), overlay.rows, overlay.cols);
  const auto regions = static_cast<float>((cells.bottom - cells.top) * (cells.right - cells.left));
  for (OverlayWord& word : overlay.words) {
    if (measure == MapMeasure::kGated && !word.gate)
      throw UsageError(
          "--measure gated: the maps that are drawn have no gate; choose weight or relative");
    const float factor = measure == MapMeasure::kRelative ? regions : *word.gate;
    for (float& weight : word.weights) weight *= factor;
  }
  if (measure == MapMeasure::kRelative) {
    overlay.weight_name += " over equal weights (line: 1)";
    overlay.mark = 1;
  } else {
    overlay.weight_name += " times the gate";
  }
  return overlay;
}

std::string view_suffix(const MapView& view) {
  return str(".layer-", view.layer, ".head-", view.head, view.rollout ? ".rollout" : "");
}

std::vector<ViewOverlay> view_overlays(const Overlay& overlay, const CaptionRecord& record) {
  std::vector<ViewOverlay> out;
  for (const MapView& view : record.views) {
    ViewOverlay& one = out.emplace_back(ViewOverlay{
        .suffix = record.views.size() > 1 ? view_suffix(view) : "", .overlay = overlay});
    if (const std::string title = view_title(view); !title.empty())
      one.overlay.title += ", " + title;
    one.overlay.weight_name = weight_name(view);
    for (std::size_t w = 0; w < overlay.words.size(); ++w) {
      OverlayWord& word = one.overlay.words[w];
      word = seen(overlay.words[w], record.caption.words[w], view, view.maps.at(w));
      word.uniform = is_uniform(word.weights, record.caption);
    }
  }
  if (out.empty()) out.push_back({.suffix = "", .overlay = overlay});
  return out;
}

Overlay class_token_overlay(const Overlay& overlay, const CaptionRecord& record) {
  Overlay out = overlay;
  // The title names the step of the decoder from which the words' maps are; that does not concern
  // the class token.
  if (const std::string later = ", " + later_map_name(record.caption.map_step);
      out.title.ends_with(later))
    out.title.resize(out.title.size() - later.size());
  out.title += ", the class token's weight on each patch";
  out.words.clear();
  out.weight_name = "attention weight";
  for (const MapView& view : record.class_token) {
    const std::string title = view_title(view);
    out.words.push_back(
        {.text = title.empty() ? "class token" : title, .weights = view.maps.at(0)});
  }
  return out;
}

}  // namespace saccade
