#include "experiments/commands/inspect_gradients.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/scoring/text_table.h"
#include "core/base/error.h"
#include "experiments/pictures/matrix_files.h"

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

// The matrix of one path: heads x words, or heads x regions.
HeatMap matrix_of(const GradientFlow& flow, PlaceNorms HeadFlow::*path,
                  std::vector<double> PlaceNorms::*place) {
  std::size_t columns = 0;
  for (const HeadFlow& head : flow.heads) columns = std::max(columns, ((head.*path).*place).size());
  HeatMap map{.rows = {}, .columns = {}, .values = {}};
  for (std::size_t c = 0; c < columns; ++c) map.columns.push_back(str(c));
  for (const HeadFlow& head : flow.heads) {
    map.rows.push_back(name_of(head));
    const std::vector<double>& norms = (head.*path).*place;
    for (std::size_t c = 0; c < columns; ++c)
      map.values.push_back(c < norms.size() ? drawn_number(norms[c]) : 0.0F);
  }
  map.row_name = "glimpse";
  map.value_name = "mean norm of the gradient";
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

std::vector<std::filesystem::path> write_gradient_pictures(const GradientFlow& flow,
                                                           const std::string& title, Index columns,
                                                           const std::filesystem::path& folder) {
  struct Path {
    const char *name, *text;
    PlaceNorms HeadFlow::*norms;
  };
  std::vector<std::filesystem::path> paths;
  for (const Path& path : {Path{"direct", "as values", &HeadFlow::direct_norms},
                           Path{"score", "as keys", &HeadFlow::score_norms}}) {
    HeatMap words = matrix_of(flow, path.norms, &PlaceNorms::by_word);
    words.title = str(title, ", gradient that reaches the regions ", path.text);
    words.column_name = "word, from 0";
    write_matrix_files(folder, str("gradients.", path.name, ".words"), words, {}, paths);
    HeatMap regions = matrix_of(flow, path.norms, &PlaceNorms::by_region);
    regions.title = words.title;
    regions.column_name = "region, in reading order from 0";
    regions.group = columns;
    write_matrix_files(folder, str("gradients.", path.name, ".regions"), regions, {}, paths);
  }
  return paths;
}

}  // namespace saccade
