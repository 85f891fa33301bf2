// Scores as rows of a table, and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/statistics/bootstrap.h"
#include "core/base/table.h"

namespace saccade {

struct ScoreRow {
  std::string name;
  NamedScores scores;
  std::vector<ScoreInterval> intervals{};  // of some of them
};

// The score of this name; null where there is none, or it is NaN.
const double* find_score(const NamedScores& scores, std::string_view name);

// The metrics of which some row has a score, in the order of the registry.
std::vector<std::string> metrics_of(std::span<const ScoreRow> rows);

// A row for each name, and a column for each metric; labels of marked metrics end with " *".
Table table_of(std::span<const ScoreRow> rows, std::span<const std::string> metrics,
               std::span<const ScoreMark> marks = {});

// A column for a metric.
Table::Column metric_column(const std::string& metric, std::span<const ScoreMark> marks = {});

// {METRIC: score}, and [{"metrics", "reason"}].
nlohmann::ordered_json scores_json(const NamedScores& scores);
nlohmann::ordered_json marks_json(std::span<const ScoreMark> marks);

}  // namespace saccade
