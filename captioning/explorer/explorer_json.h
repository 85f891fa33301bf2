// The JSON from which the explorer of a page shows a model, a caption and a photo. The photo may
// come from a data set (experiments/report), from a visitor (experiments/serve) or from Python.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/model/maps/caption_record.h"
#include "captioning/model/search/search.h"
#include "vision/images/image.h"

namespace saccade {

// The longest side of a photo on a page of photos, in pixels, and of the picture of a text, whose
// letters stay readable.
inline constexpr Index kPagePhotoPixels = 640, kPageTextPixels = 1200;

// The value rounded to four decimals, which is what a page needs.
double rounded(double value);

// A rectangle of the photo as [x, y, width, height] in shares of the photo.
nlohmann::ordered_json rectangle_json(const Rect& rectangle, const Geometry& geometry);
// How many maps a word has: one for each layer and head where the model keeps them apart, else one.
struct ViewCount {
  Index layers = 1, heads = 1;

  bool several() const { return layers * heads > 1; }
};
ViewCount view_count(const LoadedModel& loaded);

// The search of a config, set to keep the captions of the beam that a page lists and the maps of
// all layers and heads.
SearchOptions page_search(const ExperimentConfig& config, const Vocabulary& vocabulary);

// {"name", "checkpoint", "update", "parameters", "attention", "gate", "sentinel", "selection",
// "rows", "cols", "layers", "heads", "seed": of a model beside which other seeds of its arm are
// shown, "regimes": the model's own first}
nlohmann::ordered_json model_facts(const LoadedModel& loaded, const std::string& name,
                                   std::optional<Index> seed = {});

// Which maps of the words a page gets: DecodedWord::map, or also those of all layers and heads,
// where there are several.
enum class MapDetail { kDefault, kSingle };

// The facts of a model whose captions are all in one regime and have these maps.
nlohmann::ordered_json model_facts(const LoadedModel& loaded, const std::string& name,
                                   std::optional<Index> seed, Regime regime, MapDetail detail);

// The caption of a model in its packed form (captioning/model/maps/caption_json.h).
nlohmann::ordered_json page_caption(const LoadedModel& loaded, CaptionRecord record, Regime regime,
                                    MapDetail detail);

// {"width", "height", "photo": a JPEG as a data URI, no side longer than `longest` pixels}
nlohmann::ordered_json photo_json(const Image& picture, Index longest);

// A photo that one model captioned: "id", no "references", "tokens" of a text, photo_json(), and
// "models" with that model's caption alone.
nlohmann::ordered_json captioned_photo(const LoadedModel& loaded, const Image& picture,
                                       const CaptionRecord& record, Regime regime,
                                       MapDetail detail);

// What a page of such photos says of itself.
struct PhotosPage {
  std::string title;      // the model's name
  std::string command{};  // that wrote it; empty where there is none
  std::string version{};  // of saccade
  bool embedded = false;  // whether it is a part of another page: the cards alone
  bool occlusion = false, self_attention = false;  // what captions have
};
// The data of the page. `facts` are those of the model, and `images` what captioned_photo() gives.
nlohmann::ordered_json photos_json(const PhotosPage& page, nlohmann::ordered_json facts,
                                   nlohmann::ordered_json images);

// How heat is drawn (vision/drawing/heat_field.h): {"colours": red, green and blue of 256 steps
// from 0 to full, in base64, "unseen", "grey", "cold", "hot", "blend"}.
nlohmann::ordered_json heat_json();

}  // namespace saccade
