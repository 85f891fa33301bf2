#include "experiments/report/head_views.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/scoring/scores/text_table.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "experiments/pictures/measure_pictures.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

Json share_json(std::optional<double> x) { return x && !std::isnan(*x) ? Json(*x) : Json(); }

// The shares that describe a head, with the names of their columns and what they are.
struct Share {
  const char *name, *text;
  double (*of)(const ProfiledHead&);
};
constexpr std::array kShares{
    Share{"previous", "the share of the weight on the position before",
          [](const ProfiledHead& head) { return head.profile.previous; }},
    Share{"next", "on the position after",
          [](const ProfiledHead& head) { return head.profile.next; }},
    Share{"first", "on the first position",
          [](const ProfiledHead& head) { return head.profile.first; }},
    Share{"diagonal", "on the position itself",
          [](const ProfiledHead& head) { return head.profile.diagonal; }},
    Share{"content",
          "the share of the weight that lies elsewhere for the next picture, in the same row; 0: "
          "the same weights for every picture",
          [](const ProfiledHead& head) { return head.content.value_or(NAN); }},
    Share{"entropy",
          "how spread out the weights are; 0: one position has all of the weight, 1: all have the "
          "same",
          [](const ProfiledHead& head) { return head.profile.entropy; }}};

}  // namespace

std::vector<std::string> heads_left_out(const CaptionModel& model, const ExperimentConfig& config) {
  std::vector<std::string> out;
  const bool has_tokens = encoder_traits(config.encoder).has_tokens;
  if (!model.encoder() && has_tokens)
    out.push_back("encoder: it is frozen, so the model holds its features and not its heads");
  if (model.encoder() && has_tokens &&
      !sequence_attentions().at(config.encoder.vit.attention.type).weighs_positions)
    out.push_back("encoder: linformer weighs mixtures of tokens, which have no positions");
  if (model.refinement() && !sequence_attentions().at(config.encoder.refine.type).weighs_positions)
    out.push_back("refine: linformer weighs mixtures of regions, which have no positions");
  return out;
}

std::string heads_table(const HeadProfiles& profiles) {
  TextTable table;
  std::vector<std::string> head{"head", "maps", "over"};
  for (const Share& share : kShares) head.push_back(share.name);
  for (const char* name : {"kind", "role", "closest", "correlation"}) head.push_back(name);
  table.add(std::move(head));
  for (const ProfiledHead& one : profiles.heads) {
    std::vector<std::string> row{one.name().text(), str(one.profile.maps), str(one.columns)};
    for (const Share& share : kShares) row.push_back(fixed(share.of(one)));
    row.push_back(std::string(enum_name(one.kind())));
    row.push_back(std::string(enum_name(one.role)));
    row.push_back(one.closest ? one.closest->name.text() : "-");
    row.push_back(one.closest ? fixed(one.closest->correlation) : "-");
    table.add(std::move(row));
  }
  return table.text();
}

Json heads_json(const HeadProfiles& profiles) {
  Json rows = Json::array();
  for (const ProfiledHead& head : profiles.heads) {
    Json row{{"name", head.name().text()}, {"place", enum_name(head.place)},
             {"layer", head.layer},        {"head", head.head},
             {"maps", head.profile.maps},  {"regions", head.columns}};
    for (const Share& share : kShares) row[share.name] = share_json(share.of(head));
    row["kind"] = enum_name(head.kind());
    row["role"] = enum_name(head.role);
    row["closest"] = nullptr;
    if (head.closest)
      row["closest"] = {{"name", head.closest->name.text()},
                        {"correlation", head.closest->correlation}};
    rows.push_back(std::move(row));
  }
  return rows;
}

Json correlations_json(const HeadProfiles& profiles) {
  Json places = Json::array();
  for (const PlaceCorrelations& place : profiles.correlations) {
    Json names = Json::array(), matrix = Json::array();
    const std::size_t count = place.names.size();
    for (std::size_t a = 0; a < count; ++a) {
      names.push_back(place.names[a].text());
      Json row = Json::array();
      for (std::size_t b = 0; b < count; ++b)
        row.push_back(share_json(place.matrix[a * count + b]));
      matrix.push_back(std::move(row));
    }
    places.push_back(
        {{"place", enum_name(place.place)}, {"names", names}, {"matrix", std::move(matrix)}});
  }
  return places;
}

Json head_columns_json() {
  Json out = Json::array();
  for (const Share& share : kShares) out.push_back({{"name", share.name}, {"text", share.text}});
  return out;
}

std::vector<MeasurePicture> head_pictures(const HeadProfiles& profiles, const std::string& model) {
  std::vector<MeasurePicture> pictures;
  HeatMap all{.rows = {}, .columns = {}, .values = {}};
  all.title = "shares of the weight of each head";
  all.row_name = "head";
  all.column_name = "share";
  all.value_name = "share";
  for (const Share& share : kShares) all.columns.emplace_back(share.name);
  for (const ProfiledHead& head : profiles.heads) {
    all.rows.push_back(head.name().text());
    for (const Share& share : kShares) all.values.push_back(drawn_number(share.of(head)));
  }
  pictures.push_back(matrix_picture("heads.profiles", model, std::move(all), 1.0));
  for (const PlaceCorrelations& place : profiles.correlations) {
    HeatMap map{.rows = {}, .columns = {}, .values = {}};
    for (const HeadName& name : place.names) map.rows.push_back(name.text());
    map.columns = map.rows;
    for (const double r : place.matrix) map.values.push_back(drawn_number(r));
    map.title = str("correlation of heads, ", enum_name(place.place));
    map.row_name = map.column_name = "head";
    map.value_name = "correlation (below 0 as 0)";
    pictures.push_back(matrix_picture(str("heads.", enum_name(place.place), ".correlation"), model,
                                      std::move(map), 1.0));
  }
  return pictures;
}

}  // namespace saccade
