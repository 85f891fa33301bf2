#include "experiments/report/explorer_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/evaluation/caption_json.h"
#include "captioning/maps/map_views.h"
#include "captioning/whole_words.h"
#include "core/io/base64.h"
#include "experiments/report/packed_maps.h"
#include "vision/colour.h"
#include "vision/thumbnail.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kAlternatives = 5;  // the most captions of a beam that are listed
// JPEG qualities. Pictures up to kDrawnPixels, such as scenes, get the better one: it costs little,
// and they show every fault.
constexpr Index kDrawnPixels = 100;
constexpr int kQuality = 80, kDrawnQuality = 95;

void add_words(Json& json, const LoadedModel& loaded, const DecodedCaption& caption) {
  json["words"] = Json::array();
  json["p"] = Json::array();
  for (const DecodedWord& word : caption.words) {
    json["words"].push_back(word_text(word, loaded.model->vocabulary()));
    json["p"].push_back(rounded(std::exp(word.log_prob)));
    if (word.map.gate) json["gate"].push_back(rounded(*word.map.gate));
    if (word.map.sentinel) json["sentinel"].push_back(rounded(*word.map.sentinel));
  }
  const auto chose = [](const DecodedWord& word) { return word.map.chosen >= 0; };
  if (std::any_of(caption.words.begin(), caption.words.end(), chose))
    for (const DecodedWord& word : caption.words) {
      Json cells = Json::array();  // one per glimpse
      for (const int cell : chosen_cells(word)) cells.push_back(cell);
      if (cells.empty()) cells.push_back(word.map.chosen);
      json["chosen"].push_back(std::move(cells));
    }
}

MapStack maps_of(const DecodedCaption& caption, MapDetail detail) {
  MapStack out;
  for (const DecodedWord& word : caption.words) {
    auto& maps = out.words.emplace_back();
    if (detail == MapDetail::kUsual) {
      maps.push_back(word.map.weights);
      continue;
    }
    for (const AttentionMap& map : single_maps(word)) {
      out.layers = map.layer.count;
      out.heads = map.head.count;
      maps.push_back(map.weights);
    }
  }
  return out;
}

void add_maps(Json& json, const LoadedModel& loaded, const DecodedCaption& caption,
              MapDetail detail) {
  if (!loaded.model->has_attention()) return;
  const MapStack maps = maps_of(caption, detail);
  const PackedMaps packed = pack_maps(maps);
  json["layers"] = maps.layers;
  json["heads"] = maps.heads;
  json["low"] = packed.low;
  json["high"] = packed.high;
  json["maps"] = packed.bytes;
  json["entropy"] = Json::array();
  for (const DecodedWord& word : caption.words) {
    const auto entropy = map_entropy(word.map);
    json["entropy"].push_back(entropy ? Json(rounded(*entropy)) : Json());
  }
}

}  // namespace

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json rectangle_json(const Rect& rectangle, const Geometry& geometry) {
  const auto width = static_cast<double>(geometry.original_width);
  const auto height = static_cast<double>(geometry.original_height);
  return Json::array({rounded(rectangle.x / width), rounded(rectangle.y / height),
                      rounded(rectangle.width / width), rounded(rectangle.height / height)});
}

Json grid_json(const Geometry& geometry, const GridShape& grid) {
  const CellBlock cells = picture_cells(picture_area(geometry), grid.rows, grid.cols);
  return {{"seen", rectangle_json(geometry.seen, geometry)},
          {"cells", Json::array({cells.left, cells.top, cells.right, cells.bottom})}};
}

ViewCount view_count(const LoadedModel& loaded) {
  if (!loaded.model->has_attention()) return {};
  const ExperimentConfig& config = loaded.config;
  return {.layers = config.decoder.type == DecoderKind::kTransformer ? config.decoder.layers : 1,
          .heads = config.attention.heads};
}

SearchOptions page_search(const LoadedModel& loaded) {
  SearchOptions search = search_options(loaded.config, loaded.model->vocabulary());
  if (search.mode == SearchMode::kBeam) search.alternatives = std::min(search.beam, kAlternatives);
  search.recording.layers = true;
  return search;
}

Json model_facts(const ReportModel& model) {
  const LoadedModel& loaded = *model.loaded;
  const AttentionConfig& attention = loaded.config.attention;
  const ViewCount views = view_count(loaded);
  Json json = {{"name", model.name},
               {"checkpoint", model.checkpoint.string()},
               {"update", loaded.state.update},
               {"parameters", loaded.model->parameters().number_count()},
               {"attention", loaded.model->has_attention()},
               {"gate", attention.gate != GateKind::kNone},
               {"sentinel", attention.sentinel},
               {"selection", enum_name(attention.selection)},
               {"rows", loaded.model->grid().rows},
               {"cols", loaded.model->grid().cols},
               {"layers", views.layers},
               {"heads", views.heads}};
  if (loaded.model->has_attention() && loaded.config.maps.step > 0)
    json["look"] = later_map_name(loaded.config.maps.step);
  for (const Regime regime : evaluation_regimes(loaded.config))
    json["regimes"].push_back(enum_name(regime));
  return json;
}

Json decoded_json(const LoadedModel& loaded, const DecodedCaption& caption, MapDetail detail) {
  Json json;
  add_words(json, loaded, caption);
  add_maps(json, loaded, caption, detail);
  json["finished"] = caption.finished;
  json["logprob"] = rounded(caption.log_prob);
  for (const DecodedCaption& other : caption.others)
    json["others"].push_back(
        {caption_text(other, loaded.model->vocabulary()), rounded(other.log_prob)});
  return json;
}

Json photo_json(const Image& picture, Index longest) {
  const bool drawn = std::max(picture.height, picture.width) <= kDrawnPixels;
  return {
      {"width", picture.width},
      {"height", picture.height},
      {"photo", "data:image/jpeg;base64," +
                    base64(jpeg_thumbnail(picture, longest, drawn ? kDrawnQuality : kQuality))}};
}

std::string colours_text() {
  std::vector<std::uint8_t> bytes;
  for (const Colour& colour : colour_table(ColourMap::kInferno))
    bytes.insert(bytes.end(), colour.begin(), colour.end());
  return base64(bytes);
}

}  // namespace saccade
