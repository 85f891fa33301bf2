#include "experiments/report/gradient_views.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/scoring/scores/text_table.h"
#include "core/base/error.h"
#include "experiments/pictures/measure_pictures.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// Norms are small, so they are shown with significant digits and not with a fixed number of
// decimals.
std::string norm_text(double norm) { return std::isnan(norm) ? "-" : str(norm); }

Json flow_number(double x) { return std::isnan(x) ? Json() : Json(x); }

Json numbers(const std::vector<double>& all) {
  Json out = Json::array();
  for (const double x : all) out.push_back(flow_number(x));
  return out;
}

Json path_json(const PathFlow& path) {
  return {{"correlation", flow_number(path.correlation)},
          {"within_words", flow_number(path.within_words)},
          {"flat_words", path.undefined_words},
          {"mean_norm", flow_number(path.mean_norm)}};
}

Json path_json(const PathFlow& path, const PlaceNorms& places) {
  Json out = path_json(path);
  out["by_word"] = numbers(places.by_word);
  out["by_region"] = numbers(places.by_region);
  return out;
}

// "layer 1", "layer 1, head 0".
std::string name_of(const HeadFlow& head) {
  return str("layer ", head.layer, head.head < 0 ? "" : str(", head ", head.head));
}

void add_row(TextTable& table, std::vector<std::string> names, const PathFlow& path) {
  names.insert(names.end(), {fixed(path.correlation), fixed(path.within_words),
                             str(path.undefined_words), norm_text(path.mean_norm)});
  table.add(std::move(names));
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

std::string flow_table(const GradientFlow& flow) {
  TextTable table;
  table.add({"gradient", "correlation", "within words", "flat words", "mean norm"});
  add_row(table, {"direct"}, flow.direct);
  add_row(table, {"score"}, flow.score);
  std::string out =
      str("how the weight of a region correlates with the norm of the gradient that reaches it "
          "through each word's glimpse",
          flow.layers > 1 ? "s" : "", ":\nas a value (direct) and as a key (score), in the regime ",
          enum_name(GradientFlow::kRegime), ": ", flow.captions, " captions, ", flow.words,
          " words, ", flow.pairs, " pairs",
          flow.layers > 1 ? str(" in ", flow.layers, " layers") : "", "\n\n", table.text());
  if (flow.heads.size() < 2) return out;
  TextTable heads;
  heads.add({"through", "path", "correlation", "within words", "flat words", "mean norm"});
  for (const HeadFlow& head : flow.heads) {
    add_row(heads, {name_of(head), "direct"}, head.direct);
    add_row(heads, {"", "score"}, head.score);
  }
  return out + "\n" + heads.text();
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
