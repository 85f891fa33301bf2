#include "experiments/compare/comparison_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/score_rows.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "experiments/compare/comparison_marks.h"
#include "experiments/compare/verdict.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"std", spread.deviation}, {"n", spread.count}};
}

void add_judged(const JudgedMetric& metric, double level, Json& json) {
  json["low"] = metric.interval.low;
  json["high"] = metric.interval.high;
  json["chance"] = enum_name(metric.over);
  if (!metric.difference) return;
  const JudgedDifference& one = *metric.difference;
  json["difference"] = {{"value", one.value},
                        {"low", one.interval.low},
                        {"high", one.interval.high},
                        {"chance", enum_name(one.over)},
                        {"p", one.p_value},
                        {"p_holm", one.holm},
                        {"n", one.seeds},
                        {"n_against", one.reference_seeds},
                        {"family", enum_name(one.family)},
                        {"tests", one.tests},
                        {"detectable", one.detectable(level)},
                        {"undefined", one.undefined}};
  if (one.margin > 0) {
    json["difference"]["margin"] = one.margin;
    json["difference"]["p_outside"] = one.p_outside;
  }
}

Json trials_json(const std::vector<Trial>& trials) {
  Json json = Json::array();
  for (const Trial& trial : trials) {
    Json values = Json::object();
    for (const auto& [path, value] : trial.values) values[path] = value;
    json.push_back({{"values", values}, {"score", trial.score}});
    if (!trial.error.empty()) json.back()["error"] = trial.error;
  }
  return json;
}

Json seed_json(const SeedResult& seed) {
  Json json = {{"seed", seed.seed},
               {"status", seed.failed() ? "failed" : "ok"},
               {"directory", seed.directory.string()}};
  if (seed.failed()) {
    json["error"] = seed.error;
    return json;
  }
  json["checkpoint"] = seed.checkpoint.string();
  json["updates"] = seed.updates;
  json["training_seconds"] = seed.record.cost.seconds;
  json["ms_per_update"] = seed.record.cost.ms_per_update;
  json["captions_per_second"] = seed.record.cost.captions_per_second;
  json["peak_memory_bytes"] = seed.record.cost.peak_memory;
  json["best_validation"] = seed.best_validation;
  json["regimes"] = Json::array();
  for (const RegimeScores& scores : seed.regimes) {
    json["regimes"].push_back(
        {{"name", enum_name(scores.regime)}, {"corpus", scores_json(scores.corpus)}});
  }
  return json;
}

Json arm_json(const ArmResult& arm, const std::vector<Row>& rows, const Judgement& judgement) {
  Json values = Json::object();
  for (const auto& [path, value] : arm.arm.values) values[path] = value;
  Json json = {{"name", arm.arm.name}, {"values", values}};
  if (!arm.trials.empty()) json["trials"] = trials_json(arm.trials);
  json["regimes"] = Json::array();
  for (const Row& row : rows) {
    if (row.arm != &arm) continue;
    json["parameters"] = row.parameters;
    json["updates"] = spread_json(row.updates);
    json["ms_per_update"] = spread_json(row.ms_per_update);
    json["captions_per_second"] = spread_json(row.captions_per_second);
    json["peak_memory_bytes"] = spread_json(row.peak_memory);
    for (const auto& [name, spread] : row.estimator) json["estimator"][name] = spread_json(spread);
    json["regimes"].push_back(
        {{"name", enum_name(row.regime)}, {"corpus", corpus_json(row, judgement)}});
  }
  json["seeds"] = Json::array();
  for (const SeedResult& seed : arm.seeds) json["seeds"].push_back(seed_json(seed));
  return json;
}

// The differences of the rows to the reference, with one line for each headline metric that is
// tested.
std::string difference_table(const Judgement& judgement, std::size_t columns) {
  Table table = judged_table(judgement, difference_cell);
  std::erase_if(table.rows, [&](const Table::Cells& row) {
    return std::all_of(
        row.begin() + static_cast<std::ptrdiff_t>(table.names), row.end(),
        [](const Table::Cell& cell) { return cell.value == decltype(cell.value)(); });
  });
  if (table.rows.empty()) return "";
  table.columns.front().label = "against " + judgement.reference->arm.name;
  table.note = legend(judgement);
  return "\n" + to_text(table, {.turned = true, .width = columns});
}

}  // namespace

Json corpus_json(const Row& row, const Judgement& judgement) {
  Json corpus = Json::object();
  const JudgedRow* judged = judgement.find(row);
  for (const auto& [name, spread] : row.metrics) {
    corpus[name] = spread_json(spread);
    if (const JudgedMetric* metric = judged ? judged->find(name) : nullptr)
      add_judged(*metric, judgement.level(), corpus[name]);
  }
  return corpus;
}

std::string comparison_json(const Comparison& comparison, const Judgement& judgement) {
  const std::vector<Row> rows = rows_of(comparison);
  Json json = {{"schema_version", 1},
               {"name", comparison.name},
               {"dataset", comparison.dataset},
               {"split", split_name(comparison.split)},
               {"n_images", comparison.images},
               {"seeds", comparison.seeds},
               {"complete", comparison.complete()},
               {"against", judgement.reference ? judgement.reference->arm.name : ""},
               {"level", judgement.level()},
               {"verdict", verdict(judgement)}};
  if (!judgement.options.primary.empty()) json["primary"] = judgement.options.primary;
  if (!comparison.meteor_tables.empty()) json["meteor_tables"] = comparison.meteor_tables;
  if (const auto marks = marks_of(comparison); !marks.empty()) json["marks"] = marks_json(marks);
  json["arms"] = Json::array();
  for (const ArmResult& arm : comparison.arms)
    json["arms"].push_back(arm_json(arm, rows, judgement));
  return json_text(json);
}

std::string comparison_table(const Comparison& comparison, const Judgement& judgement,
                             const TableOptions& options) {
  const std::vector<Row> rows = rows_of(comparison);
  const std::vector<ScoreMark> marks = marks_of(comparison);
  Table means = means_table(rows, comparison.regimes, options.shown, marks);
  means.columns.front().key.clear();
  means.title =
      headline(comparison) + str("\nmeans over ", comparison.regimes ? "seeds" : "runs",
                                 "; ± is their standard deviation, where there are several");
  const std::size_t all = means_table(rows, comparison.regimes).columns.size();
  if (all > means.columns.size())
    means.note =
        str("--all shows ", all - means.columns.size(), " more numbers, which --json has, too\n");
  means.note += mark_lines(marks);
  if (!comparison.meteor_tables.empty()) means.note += comparison.meteor_tables + "\n";
  std::string out = to_text(means, {.turned = true, .width = options.columns});
  out += difference_table(judgement, options.columns);
  const std::vector<std::string> sentences = verdict(judgement);
  if (!sentences.empty()) out += "\n";
  bool undecided = false;
  for (const std::string& sentence : sentences) {
    out += sentence + "\n";
    undecided = undecided || sentence.find("no evidence of a difference") != std::string::npos;
  }
  if (undecided && judgement.options.margins.empty())
    out +=
        "no evidence of a difference is none of equality; --margin METRIC=VALUE tests whether arms "
        "are equal within a margin\n";
  return out + tuned(comparison, "") + failures(comparison, "");
}

}  // namespace saccade
