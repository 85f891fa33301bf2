#include "experiments/compare/comparison_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "captioning/evaluation/dead_signs.h"
#include "captioning/scoring/text_table.h"
#include "core/base/error.h"
#include "experiments/compare/tuning.h"

namespace saccade {

namespace {

constexpr double kMebibyte = 1024 * 1024;

std::string number(double value) {
  std::array<char, 48> text{};
  const bool count = std::abs(value) >= 10 && value == std::floor(value);
  std::snprintf(text.data(), text.size(),
                count                   ? "%.0f"
                : std::abs(value) >= 10 ? "%.1f"
                                        : "%.4f",
                value);
  return text.data();
}

// "0.5123 ±0.0041"; "0.5123" where there is one seed; "-" where there is none.
std::string cell(const Spread& spread, double unit = 1) {
  if (spread.count == 0) return "-";
  const std::string mean = number(spread.mean / unit);
  return spread.count > 1 ? mean + " ±" + number(spread.deviation / unit) : mean;
}

// One line for each name that some row has in `part`.
std::vector<Line> spread_lines(const std::vector<Row>& rows,
                               std::vector<std::pair<std::string, Spread>> Row::*part,
                               const std::string& prefix) {
  std::vector<Line> lines;
  for (const Row& source : rows)
    for (const auto& [name, unused] : source.*part) {
      if (std::any_of(lines.begin(), lines.end(),
                      [&, full = prefix + name](const Line& line) { return line.name == full; }))
        continue;
      Line& line = lines.emplace_back(Line{prefix + name, {}});
      for (const Row& row : rows) {
        const auto found =
            std::find_if((row.*part).begin(), (row.*part).end(),
                         [&, key = &name](const auto& one) { return one.first == *key; });
        line.cells.push_back(found == (row.*part).end() ? "-" : cell(found->second));
      }
    }
  return lines;
}

// "dead: static, uniform" where the maps of a row look dead; empty where they do not, or where this
// was not measured.
std::string dead_cell(const Row& row) {
  AttentionReport report;
  for (const auto& [name, spread] : row.metrics) {
    if (name == "attention_static_share") report.health.static_share = spread.mean;
    if (name == "attention_uniform_share") report.health.uniform_share = spread.mean;
  }
  std::string out;
  for (const DeadSign& sign : dead_signs(report))
    out +=
        str(out.empty() ? "dead: " : ", ", sign.kind == DeadKind::kUniform ? "uniform" : "static");
  return out;
}

std::string brackets(const Interval& interval) {
  return str("[", fixed(interval.low), ", ", fixed(interval.high), "]");
}

bool any(const Judgement& judgement, Chance chance) {
  return std::any_of(judgement.rows.begin(), judgement.rows.end(), [&](const JudgedRow& row) {
    return std::any_of(row.metrics.begin(), row.metrics.end(),
                       [&](const JudgedMetric& metric) { return metric.chance == chance; });
  });
}

}  // namespace

std::string headline(const Comparison& comparison) {
  std::string seeds;
  for (const auto seed : comparison.seeds)
    seeds += (seeds.empty() ? "" : ", ") + std::to_string(seed);
  return str(comparison.name, ": ", comparison.images, " ", split_name(comparison.split),
             " images of ", comparison.dataset, "; seeds ", seeds,
             comparison.jobs > 1
                 ? str("; times were measured while ", comparison.jobs, " runs trained at once")
                 : std::string());
}

std::vector<Line> lines_of(const std::vector<Row>& rows) {
  std::vector<Line> lines = spread_lines(rows, &Row::metrics, "");
  Line updates{"updates", {}}, time{"ms per update", {}}, rate{"captions/s", {}},
      memory{"peak memory MiB", {}}, size{"parameters", {}};
  for (const Row& row : rows) {
    updates.cells.push_back(cell(row.updates));
    time.cells.push_back(cell(row.ms_per_update));
    rate.cells.push_back(cell(row.captions_per_second));
    memory.cells.push_back(cell(row.peak_memory, kMebibyte));
    size.cells.push_back(str(row.parameters));
  }
  Line attention{"attention", {}};
  for (const Row& row : rows) attention.cells.push_back(dead_cell(row));
  if (std::any_of(attention.cells.begin(), attention.cells.end(),
                  [](const std::string& text) { return !text.empty(); }))
    lines.push_back(std::move(attention));
  const std::vector<Line> estimator = spread_lines(rows, &Row::estimator, "training_");
  lines.insert(lines.end(), estimator.begin(), estimator.end());
  lines.insert(lines.end(), {updates, time, rate, memory, size});
  return lines;
}

std::string interval_cell(const JudgedMetric& metric) {
  return fixed(metric.spread.mean) + " " + brackets(metric.interval);
}

std::string difference_cell(const JudgedMetric& metric) {
  if (!metric.difference) return "";
  const JudgedDifference& one = *metric.difference;
  return str(one.value < 0 ? "-" : "+", fixed(std::abs(one.value)), " ", brackets(one.interval),
             " p=", fixed(one.holm));
}

std::string legend(const Judgement& judgement) {
  const std::string level = str(100 * judgement.resampling.level, " %");
  std::string out = "In brackets: " + level + " interval";
  if (any(judgement, Chance::kSeedsAndImages)) out += " over seeds and images (Student's t)";
  if (any(judgement, Chance::kSeedsAndImages) && any(judgement, Chance::kImages)) out += ", or";
  if (any(judgement, Chance::kImages))
    out += " over images alone (bootstrap) where there is one seed";
  return out +
         "; p: two-sided p-value, corrected after Holm for all rows that are tested by the same "
         "metric; the intervals are not corrected";
}

std::string failures(const Comparison& comparison, const char* bullet) {
  std::string out;
  for (const ArmResult& arm : comparison.arms)
    for (const SeedResult& seed : arm.seeds)
      if (seed.failed())
        out += str(bullet, arm.arm.name, ", seed ", seed.seed, " failed: ", seed.error, "\n");
  return out;
}

std::string tuned(const Comparison& comparison, const char* bullet) {
  std::string out;
  for (const ArmResult& arm : comparison.arms) {
    if (arm.trials.empty()) continue;
    out += bullet + arm.arm.name + " was tuned on validation images:";
    const char* comma = " ";
    for (const Trial& trial : arm.trials) {
      out += comma;
      for (const auto& [path, value] : trial.values) out += str(path, "=", value, " ");
      out += trial.error.empty() ? fixed(trial.score) : "failed";
      comma = ", ";
    }
    if (const auto best = best_trial(arm.trials, arm.arm.config.train.best_metric)) {
      out += "; it keeps";
      for (const auto& [path, value] : arm.trials[*best].values) out += str(" ", path, "=", value);
      const auto ties =
          std::count_if(arm.trials.begin(), arm.trials.end(),
                        [&](const Trial& trial) { return trial.score == arm.trials[*best].score; });
      if (ties > 1) out += str(", the first of ", ties, " with the same score");
    }
    out += "\n";
  }
  return out;
}

}  // namespace saccade
