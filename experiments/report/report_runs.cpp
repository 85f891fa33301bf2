#include "experiments/report/report_runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/plain_text.h"
#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"
#include "core/config/config.h"
#include "experiments/process/log.h"
#include "experiments/runs/metrics_log.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 400;  // of a curve; a plot has no pixels for more

Json columns(const std::vector<std::map<std::string, double>>& rows) {
  std::map<std::string, Json> out;
  const std::size_t step = (rows.size() + kMostPoints - 1) / kMostPoints;
  for (const auto& row : rows)
    for (const auto& [name, value] : row) out[name] = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The last line shows where a run ended, so it is always kept.
    if (i % step != 0 && i + 1 != rows.size()) continue;
    for (auto& [name, column] : out) {
      const auto found = rows[i].find(name);
      column.push_back(found == rows[i].end() ? Json() : Json(found->second));
    }
  }
  Json json = Json::object();
  for (auto& [name, column] : out) json[name] = std::move(column);
  return json;
}

}  // namespace

Json curve_json(const ReportRun& run) {
  std::vector<std::map<std::string, double>> updates, validations;
  const std::filesystem::path path = run.directory / "metrics.jsonl";
  const UnreadableLines unreadable = read_metrics(path, [&](const MetricsLine& line) {
    if (line.event == "update") updates.push_back(line.numbers);
    if (line.event == "validation") validations.push_back(line.numbers);
  });
  if (unreadable.count > 0) log::warn(plain_text(unreadable.text(path)));
  return {{"model", run.model},
          {"name", run.name},
          {"updates", columns(updates)},
          {"validations", columns(validations)}};
}

Json config_rows(const std::vector<ShownModel>& models) {
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
  for (std::size_t m = 1; m < models.size(); ++m)
    for (const Difference& d :
         config_differences(models[0].loaded->config, models[m].loaded->config)) {
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const auto& known) { return known.first == d.path; });
      if (row == rows.end())
        row = rows.insert(rows.end(), {d.path, std::vector<std::string>(models.size(), d.first)});
      row->second[m] = d.second;
    }
  Json json = Json::array();
  for (const auto& [path, values] : rows) json.push_back({{"key", path}, {"values", values}});
  return json;
}

Json json_file(const std::filesystem::path& path) {
  const Json json = shallow_json(whole_file(path).value_or(""));
  return json.is_discarded() ? Json() : json;
}

}  // namespace saccade
