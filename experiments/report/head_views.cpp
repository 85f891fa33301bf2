#include "experiments/report/head_views.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/learning/config/experiment_config.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "experiments/pictures/measure_pictures.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

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

Table table_of(const HeadProfiles& profiles) {
  Table table{.columns = {{.key = "name", .label = "head"},
                          {.key = "place", .hidden = true},
                          {.key = "layer", .hidden = true},
                          {.key = "head", .hidden = true},
                          {.key = "maps"},
                          {.key = "regions", .label = "over"}}};
  for (const Share& share : kShares)
    table.columns.push_back({.key = share.name, .text = share.text, .share = true});
  for (const char* key : {"kind", "role", "closest", "correlation"})
    table.columns.push_back({.key = key});
  for (const ProfiledHead& head : profiles.heads) {
    Table::Cells row{head.name().text(), enum_name(head.place), head.layer,
                     head.head,          head.profile.maps,     head.columns};
    for (const Share& share : kShares) row.emplace_back(share.of(head));
    row.emplace_back(enum_name(head.kind()));
    row.emplace_back(enum_name(head.role));
    row.push_back(head.closest ? Table::Cell(head.closest->name.text()) : Table::Cell());
    row.push_back(head.closest ? Table::Cell(head.closest->correlation) : Table::Cell());
    table.add(std::move(row));
  }
  return table;
}

Json correlations_json(const HeadProfiles& profiles) {
  Json places = Json::array();
  for (const PlaceCorrelations& place : profiles.correlations) {
    Json names = Json::array(), matrix = Json::array();
    const std::size_t count = place.names.size();
    for (std::size_t a = 0; a < count; ++a) {
      names.push_back(place.names[a].text());
      const auto row = place.matrix.begin() + static_cast<std::ptrdiff_t>(a * count);
      matrix.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(count)));
    }
    places.push_back(
        {{"place", enum_name(place.place)}, {"names", names}, {"matrix", std::move(matrix)}});
  }
  return places;
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
