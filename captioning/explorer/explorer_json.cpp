#include "captioning/explorer/explorer_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/model/maps/caption_json.h"
#include "core/io/base64.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/heat_field.h"
#include "vision/images/thumbnail.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kAlternatives = 5;  // the most captions of a beam that are listed
// JPEG qualities. Pictures up to kDrawnPixels, such as scenes, get the better one: it costs little,
// and they show every fault.
constexpr Index kDrawnPixels = 100;
constexpr int kQuality = 80, kDrawnQuality = 95;

}  // namespace

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json rectangle_json(const Rect& rectangle, const Geometry& geometry) {
  const auto width = static_cast<double>(geometry.original_width);
  const auto height = static_cast<double>(geometry.original_height);
  return Json::array({rounded(rectangle.x / width), rounded(rectangle.y / height),
                      rounded(rectangle.width / width), rounded(rectangle.height / height)});
}

ViewCount view_count(const LoadedModel& loaded) {
  if (!loaded.model->has_maps()) return {};
  const ExperimentConfig& config = loaded.config;
  return {.layers = loaded.model->decoder().glimpses_per_word(), .heads = config.map_heads()};
}

SearchOptions page_search(const ExperimentConfig& config, const Vocabulary& vocabulary) {
  SearchOptions search = search_options(config, config.search, vocabulary);
  if (search.mode == SearchMode::kBeam) search.alternatives = std::min(search.beam, kAlternatives);
  search.recording.layers = true;
  return search;
}

// A page is shown to others, whom the folders of this machine do not concern.
std::string shown_place(const std::filesystem::path& file) {
  const std::filesystem::path near = file.lexically_proximate(std::filesystem::current_path());
  const bool inside = near.is_relative() && !near.empty() && *near.begin() != "..";
  return (inside ? near : file.filename()).string();
}

Json model_facts(const LoadedModel& loaded, const std::string& name, std::optional<Index> seed) {
  const AttentionConfig& attention = loaded.config.attention;
  const bool attends = loaded.config.decoder.attends();
  const ViewCount views = view_count(loaded);
  Json json = {{"name", name},
               {"checkpoint", shown_place(loaded.source)},
               {"update", loaded.state.update},
               {"parameters", loaded.model->parameters().number_count()},
               {"attention", loaded.model->has_maps()},
               {"gate", attends && attention.gate != "none"},
               {"sentinel", attends && attention.sentinel},
               {"selection", attention.selection},
               {"rows", loaded.model->grid().rows},
               {"cols", loaded.model->grid().cols},
               {"layers", views.layers},
               {"heads", views.heads}};
  if (loaded.model->grid().scattered) json["scattered"] = true;
  if (loaded.model->grid().in_time) json["in_time"] = true;
  if (seed) json["seed"] = *seed;
  for (const Regime regime : evaluation_regimes(loaded.config))
    json["regimes"].push_back(enum_name(regime));
  return json;
}

Json model_facts(const LoadedModel& loaded, const std::string& name, std::optional<Index> seed,
                 Regime regime, MapDetail detail) {
  Json json = model_facts(loaded, name, seed);
  json["regimes"] = Json::array({enum_name(regime)});
  if (detail == MapDetail::kDefault)
    json["layers"] = json["heads"] = 1;  // those between which one can choose
  return json;
}

Json page_caption(const LoadedModel& loaded, CaptionRecord record, Regime regime,
                  MapDetail detail) {
  if (detail == MapDetail::kSingle && view_count(loaded).several()) {
    const MapChoice each{.kind = MapChoice::Kind::kEach};
    record.views = map_views(record.caption, {.layer = each, .head = each});
  }
  return caption_json(record,
                      {.vocabulary = &loaded.model->vocabulary(),
                       .layout = {loaded.model->grid()},
                       .regime = regime,
                       .alternatives = !record.caption.others.empty()},
                      CaptionForm::kPacked);
}

Json photo_json(const Image& picture, Index longest) {
  const bool drawn = std::max(picture.height, picture.width) <= kDrawnPixels;
  return {
      {"width", picture.width},
      {"height", picture.height},
      {"photo", "data:image/jpeg;base64," +
                    base64(jpeg_thumbnail(picture, longest, drawn ? kDrawnQuality : kQuality))}};
}

Json captioned_photo(const LoadedModel& loaded, const Image& picture, const CaptionRecord& record,
                     Regime regime, MapDetail detail) {
  Json image = {{"id", record.image}, {"references", Json::array()}};
  if (!record.tokens.empty()) image["tokens"] = record.tokens;
  image.update(photo_json(picture, record.tokens.empty() ? kPagePhotoPixels : kPageTextPixels));
  Json caption;
  caption["regimes"][std::string(enum_name(regime))] = page_caption(loaded, record, regime, detail);
  image["models"] = Json::array({std::move(caption)});
  return image;
}

Json photos_json(const PhotosPage& page, Json facts, Json images) {
  const bool texts = std::any_of(images.begin(), images.end(),
                                 [](const Json& image) { return image.contains("tokens"); });
  Json data = {{"schema_version", 2},         {"title", page.title},
               {"dataset", nullptr},          {"texts", texts},
               {"command", page.command},     {"version", page.version},
               {"heat", heat_json()},         {"boxes", ""},
               {"occlusion", page.occlusion}, {"self_attention", page.self_attention},
               {"remarks", Json::array()},    {"models", Json::array({std::move(facts)})},
               {"config", Json::array()},     {"curves", Json::array()},
               {"comparison", nullptr},       {"images", std::move(images)}};
  if (page.embedded) data["embedded"] = true;
  return data;
}

Json heat_json() {
  std::vector<std::uint8_t> bytes;
  for (const Colour& colour : colour_table(ColourMap::kInferno))
    bytes.insert(bytes.end(), colour.begin(), colour.end());
  return {{"colours", base64(bytes)}, {"unseen", kUnseenCover}, {"grey", kGreyShare},
          {"cold", kColdVeil},        {"hot", kHotVeil},        {"blend", kBlendVeil}};
}

}  // namespace saccade
