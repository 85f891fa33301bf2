#include "experiments/compare/comparison_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/marks_json.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "experiments/compare/comparison_marks.h"
#include "experiments/compare/judged_json.h"
#include "experiments/compare/verdict.h"
#include "experiments/process/json_text.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

Json trials_json(const std::vector<Trial>& trials) {
  Json json = Json::array();
  for (const Trial& trial : trials) {
    Json values = Json::object();
    for (const auto& [path, value] : trial.values) values[path] = value;
    json.push_back({{"values", values}, {"score", number_json(trial.score)}});
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
    Json corpus = Json::object();
    for (const auto& [name, value] : scores.corpus) corpus[name] = value;
    json["regimes"].push_back({{"name", enum_name(scores.regime)}, {"corpus", corpus}});
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
    Json corpus = Json::object();
    const JudgedRow* judged = judgement.find(row);
    for (const auto& [name, spread] : row.metrics) {
      corpus[name] = spread_json(spread);
      if (const JudgedMetric* metric = judged ? judged->find(name) : nullptr)
        add_judged(*metric, judgement.level(), corpus[name]);
    }
    json["regimes"].push_back({{"name", enum_name(row.regime)}, {"corpus", corpus}});
  }
  json["seeds"] = Json::array();
  for (const SeedResult& seed : arm.seeds) json["seeds"].push_back(seed_json(seed));
  return json;
}

// The number of characters (not bytes) of a UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to) {
  return std::string(to > width(text) ? to - width(text) : 0, ' ') + text;
}

// Whether a line says nothing about the columns from `begin` to `end`.
bool is_empty(const Line& line, std::size_t begin, std::size_t end) {
  const auto from = line.cells.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::all_of(from, from + static_cast<std::ptrdiff_t>(end - begin),
                     [](const std::string& cell) { return cell.empty() || cell == "-"; });
}

using Head = std::vector<std::string>;  // the lines above a column

// A table in blocks of columns that fit into `page` characters. A block leaves out the lines that
// say nothing about its columns.
std::vector<std::string> in_blocks(const std::string& corner, const std::vector<Head>& heads,
                                   const std::vector<Line>& lines, std::size_t page) {
  std::size_t label = corner.size();
  for (const Line& line : lines) label = std::max(label, width(line.label));
  const auto labelled = [&](const std::string& name) {
    return name + std::string(label - width(name), ' ');
  };
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < heads.size();) {
    std::vector<std::size_t> widths;
    std::size_t total = label, end = begin, tallest = 1;
    for (; end < heads.size(); ++end) {
      std::size_t wide = 0;
      for (const std::string& text : heads[end]) wide = std::max(wide, width(text));
      for (const Line& line : lines) wide = std::max(wide, width(line.cells[end]));
      if (end > begin && total + wide + 2 > page) break;
      widths.push_back(wide + 2);
      total += wide + 2;
      tallest = std::max(tallest, heads[end].size());
    }
    std::string block;
    for (std::size_t row = 0; row < tallest; ++row) {
      block += labelled(row == 0 ? corner : "");
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t above = tallest - heads[i].size();
        block += padded(row < above ? "" : heads[i][row - above], widths[i - begin]);
      }
      block += "\n";
    }
    for (const Line& line : lines) {
      if (is_empty(line, begin, end)) continue;
      block += labelled(line.label);
      for (std::size_t i = begin; i < end; ++i) block += padded(line.cells[i], widths[i - begin]);
      block += "\n";
    }
    out.push_back(std::move(block));
    begin = end;
  }
  return out;
}

// The label of a metric as the head of a narrow column: a long one in several lines.
Head head_of(const std::string& label) {
  constexpr std::size_t kWide = 17;
  Head out{""};
  std::istringstream words(label);
  for (std::string word; words >> word;) {
    std::string& line = out.back();
    if (line.empty())
      line = word;
    else if (line.size() + 1 + word.size() <= kWide)
      line += " " + word;
    else
      out.push_back(word);
  }
  return out;
}

using ArmName = std::pair<std::string, std::string>;  // of an arm, and its regime

// A table of arms and metrics; `lines` has one line for each metric. Arms are columns where all of
// them stand side by side, and else rows, so that every block has all arms.
std::string arms_table(const std::string& corner, const std::vector<ArmName>& arms,
                       const std::vector<Line>& lines, std::size_t page) {
  std::vector<Head> heads;
  std::size_t longest = 0;
  for (const auto& [arm, regime] : arms) {
    heads.push_back(regime.empty() ? Head{arm} : Head{arm, regime});
    longest = std::max(longest, width(arm));
  }
  std::vector<std::string> blocks = in_blocks(corner, heads, lines, page);
  if (blocks.size() > 1) {
    std::vector<Line> rows;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const auto& [arm, regime] = arms[i];
      Line row{regime.empty() ? arm : arm + std::string(longest + 2 - width(arm), ' ') + regime,
               {}};
      for (const Line& line : lines) row.cells.push_back(line.cells[i]);
      rows.push_back(std::move(row));
    }
    heads.clear();
    for (const Line& line : lines) heads.push_back(head_of(line.label));
    blocks = in_blocks(corner, heads, rows, page);
  }
  return join(blocks, "\n");
}

std::string regime_name(Regime regime, bool regimes) {
  return regimes ? std::string(enum_name(regime)) : std::string();
}

// The differences of the rows to the reference, with one line for each headline metric that is
// tested.
std::string difference_table(const Judgement& judgement, std::size_t columns) {
  std::vector<ArmName> heads;
  std::vector<Line> lines;
  const std::vector<std::string> metrics = headline_metrics(judgement);
  for (const std::string& name : metrics) lines.push_back({metric_label(name), {}});
  for (const JudgedRow& row : judgement.rows) {
    const bool tested = std::any_of(row.metrics.begin(), row.metrics.end(),
                                    [](const JudgedMetric& own) { return own.difference; });
    if (!tested) continue;
    heads.emplace_back(row.arm->arm.name, regime_name(row.regime, judgement.regimes));
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      const JudgedMetric* own = row.find(metrics[m]);
      lines[m].cells.push_back(own ? difference_cell(*own) : "");
    }
  }
  if (heads.empty()) return "";
  return "\n" + arms_table("against " + judgement.reference->arm.name, heads, lines, columns) +
         legend(judgement) + "\n";
}

}  // namespace

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
  std::vector<ArmName> heads;
  for (const Row& row : rows)
    heads.emplace_back(row.arm->arm.name, regime_name(row.regime, comparison.regimes));
  std::vector<Line> lines = lines_of(rows, options.shown);
  const std::vector<ScoreMark> marks = marks_of(comparison);
  mark_labels(lines, marks);
  std::string out = headline(comparison) +
                    str("\nmeans over ", comparison.regimes ? "seeds" : "runs",
                        "; ± is their standard deviation, where there are several\n") +
                    arms_table("", heads, lines, options.columns);
  if (const std::size_t all = lines_of(rows).size(); all > lines.size())
    out += str("--all shows ", all - lines.size(), " more numbers, which --json has, too\n");
  out += mark_lines(marks);
  if (!comparison.meteor_tables.empty()) out += comparison.meteor_tables + "\n";
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
