#include "captioning/scoring/scores/score_rows.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "captioning/scoring/metrics/metric_registry.h"

namespace saccade {

const double* find_score(const NamedScores& scores, std::string_view name) {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const auto& score) { return score.first == name; });
  return found == scores.end() || std::isnan(found->second) ? nullptr : &found->second;
}

std::vector<std::string> metrics_of(std::span<const ScoreRow> rows) {
  std::vector<std::string> names;
  for (const ScoreRow& row : rows)
    for (const auto& [name, value] : row.scores)
      if (!std::isnan(value)) names.push_back(name);
  return in_table_order(std::move(names));
}

Table::Column metric_column(const std::string& metric, std::span<const ScoreMark> marks) {
  return {.key = metric, .label = marked_label(metric, marks)};
}

Table table_of(std::span<const ScoreRow> rows, std::span<const std::string> metrics,
               std::span<const ScoreMark> marks) {
  Table table{.columns = {{.key = "", .label = ""}}};
  for (const std::string& metric : metrics) table.columns.push_back(metric_column(metric, marks));
  for (const ScoreRow& row : rows) {
    Table::Cells cells{row.name};
    for (const std::string& metric : metrics) {
      const double* score = find_score(row.scores, metric);
      Table::Cell& cell = cells.emplace_back(score ? Table::Cell(*score) : Table::Cell());
      for (const ScoreInterval& one : row.intervals)
        if (one.metric == metric) cell.between(one.interval.low, one.interval.high);
    }
    table.add(std::move(cells));
  }
  return table;
}

nlohmann::ordered_json scores_json(const NamedScores& scores) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : scores) out[name] = value;
  return out;
}

nlohmann::ordered_json marks_json(std::span<const ScoreMark> marks) {
  auto out = nlohmann::ordered_json::array();
  for (const ScoreMark& mark : marks)
    out.push_back({{"metrics", mark.metrics}, {"reason", mark.reason}});
  return out;
}

}  // namespace saccade
