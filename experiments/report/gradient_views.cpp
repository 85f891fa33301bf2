#include "experiments/report/gradient_views.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "captioning/learning/config/experiment_config.h"
#include "core/base/error.h"
#include "experiments/pictures/measure_pictures.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

Json path_json(const PathFlow& path) {
  return {{"correlation", path.correlation},
          {"within_words", path.within_words},
          {"flat_words", path.undefined_words},
          {"mean_norm", path.mean_norm}};
}

Json path_json(const PathFlow& path, const PlaceNorms& places) {
  Json out = path_json(path);
  out["by_word"] = places.by_word;
  out["by_region"] = places.by_region;
  return out;
}

// "layer 1", "layer 1, head 0".
std::string name_of(const HeadFlow& head) {
  return str("layer ", head.layer, head.head < 0 ? "" : str(", head ", head.head));
}

// One path's mean norms of all glimpses [heads, columns], at words or at regions; 0 beyond the last
// word or region of a glimpse.
struct Norms {
  std::size_t columns = 0;
  std::vector<std::string> names;
  std::vector<float> values;
};
Norms norms_by_place(const GradientFlow& flow, PlaceNorms HeadFlow::*path,
                     std::vector<double> PlaceNorms::*place) {
  Norms out;
  for (const HeadFlow& head : flow.heads)
    out.columns = std::max(out.columns, ((head.*path).*place).size());
  for (const HeadFlow& head : flow.heads) {
    out.names.push_back(name_of(head));
    const std::vector<double>& norms = (head.*path).*place;
    for (std::size_t c = 0; c < out.columns; ++c)
      out.values.push_back(c < norms.size() ? drawn_number(norms[c]) : 0.0F);
  }
  return out;
}

constexpr const char* kNormName = "mean norm of the gradient";

// A row of numbers for each glimpse.
HeatMap strip_of(Norms norms, const std::string& title, const char* column_name) {
  HeatMap map{.rows = std::move(norms.names), .columns = {}, .values = std::move(norms.values)};
  for (std::size_t c = 0; c < norms.columns; ++c) map.columns.push_back(str(c));
  map.title = title;
  map.row_name = "glimpse";
  map.column_name = column_name;
  map.value_name = kNormName;
  return map;
}

}  // namespace

Table table_of(const GradientFlow& flow) {
  Table table{.columns = {{.key = "through"},
                          {.key = "path"},
                          {.key = "correlation"},
                          {.key = "within_words", .label = "within words"},
                          {.key = "flat_words", .label = "flat words"},
                          // Norms are small.
                          {.key = "mean_norm",
                           .label = "mean norm",
                           .digits = Table::Column::kSignificant}},
              .names = 2};
  const auto add = [&](const std::string& through, const char* path, const PathFlow& one) {
    table.add(
        {through, path, one.correlation, one.within_words, one.undefined_words, one.mean_norm});
  };
  const auto add_both = [&](const std::string& through, const auto& of) {
    add(through, "as a value", of.direct);
    add(through, "as a key", of.score);
  };
  add_both("all", flow);
  if (flow.heads.size() > 1)
    for (const HeadFlow& head : flow.heads) add_both(name_of(head), head);
  table.title = str(
      "how the weight of a region correlates with the norm of the gradient that reaches it "
      "through each word's glimpse",
      flow.layers > 1 ? "s" : "", ":\nas a value (direct) and as a key (score), in the regime ",
      enum_name(GradientFlow::kRegime), ": ", flow.captions, " captions, ", flow.words, " words, ",
      flow.pairs, " pairs", flow.layers > 1 ? str(" in ", flow.layers, " layers") : "", "\n\n");
  return table;
}

Json flow_json(const GradientFlow& flow) {
  Json heads = Json::array();
  for (const HeadFlow& head : flow.heads)
    heads.push_back({{"layer", head.layer},
                     {"head", head.head < 0 ? Json() : Json(head.head)},
                     {"direct", path_json(head.direct, head.direct_norms)},
                     {"score", path_json(head.score, head.score_norms)}});
  return {{"regime", enum_name(GradientFlow::kRegime)},
          {"captions", flow.captions},
          {"words", flow.words},
          {"pairs", flow.pairs},
          {"layers", flow.layers},
          {"direct", path_json(flow.direct)},
          {"score", path_json(flow.score)},
          {"heads", std::move(heads)}};
}

std::string without_gradient_paths(const CaptionModel& model, const ExperimentConfig& config) {
  if (!model.has_attention()) return "the model has no attention (attention.score is none)";
  if (config.attention.mechanism != "composed")
    return str("attention.mechanism ", config.attention.mechanism,
               " does not keep the keys and values of regions apart, as composed mechanisms do");
  return "";
}

std::vector<MeasurePicture> gradient_pictures(const GradientFlow& flow, const std::string& model,
                                              const GridSize& grid) {
  struct Path {
    const char *name, *text;
    PlaceNorms HeadFlow::*norms;
  };
  std::vector<MeasurePicture> pictures;
  for (const Path& path : {Path{"direct", "as values", &HeadFlow::direct_norms},
                           Path{"score", "as keys", &HeadFlow::score_norms}}) {
    const std::string title = str("gradient that reaches the regions ", path.text);
    pictures.push_back(
        matrix_picture(str("gradients.", path.name, ".words"), model,
                       strip_of(norms_by_place(flow, path.norms, &PlaceNorms::by_word),
                                title + ", by word", "word, from 0"),
                       {}));
    Norms regions = norms_by_place(flow, path.norms, &PlaceNorms::by_region);
    const std::string name = str("gradients.", path.name, ".regions");
    if (grid.rows > 1 && regions.columns == static_cast<std::size_t>(grid.cells()))
      pictures.push_back(
          grid_picture(name, model,
                       {.grid = grid,
                        .names = std::move(regions.names),
                        .values = std::move(regions.values),
                        .title = title + ", by region, as regions lie on the picture",
                        .value_name = kNormName}));
    else
      pictures.push_back(matrix_picture(
          name, model, strip_of(std::move(regions), title + ", by token", "token, from 0"), {}));
  }
  return pictures;
}

}  // namespace saccade
