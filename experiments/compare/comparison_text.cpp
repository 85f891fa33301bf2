#include "experiments/compare/comparison_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/score_rows.h"
#include "captioning/study/evaluation/dead_signs.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "experiments/compare/tuning.h"
#include "experiments/compare/verdict.h"

namespace saccade {

namespace {

constexpr double kMebibyte = 1024 * 1024;

using Numbers = std::vector<std::pair<std::string, Spread>>;

// All numbers of a row by the names of the registry. A cost that was not recorded is left out.
Numbers numbers_of(const Row& row) {
  Numbers out = row.metrics;
  for (const auto& [name, spread] : row.estimator) out.emplace_back("estimator." + name, spread);
  const Spread parameters{.count = 1, .mean = static_cast<double>(row.parameters)};
  for (const auto& [name, spread] : Numbers{{"updates", row.updates},
                                            {"ms_per_update", row.ms_per_update},
                                            {"captions_per_second", row.captions_per_second},
                                            {"peak_memory_bytes", row.peak_memory},
                                            {"parameters", parameters}})
    if (spread.mean > 0) out.emplace_back(name, spread);
  return out;
}

bool is_cost(const MetricInfo* info) {
  return info != nullptr && info->group == MetricGroup::kCost;
}

// A run of another version may have recorded a number that is unknown here.
Table::Column column_of(const std::string& name, std::span<const ScoreMark> marks) {
  const MetricInfo* info = find_metric(name);
  Table::Column column = metric_column(name, marks);
  if (is_cost(info)) column.digits = 1;
  if (info == nullptr || info->unit != "bytes") return column;
  column.label += " MiB";
  column.scale = 1 / kMebibyte;
  return column;
}

Table::Cell mean_cell(const Numbers& numbers, const std::string& name) {
  for (const auto& [own, spread] : numbers) {
    if (own != name || spread.count == 0) continue;
    Table::Cell cell(spread.mean);
    if (spread.count > 1) cell.deviation = spread.deviation;
    return cell;
  }
  return {};
}

// "dead: static, uniform" where the maps of a row look dead; empty where they do not, or where this
// was not measured.
std::string dead_cell(const Row& row) {
  AttentionReport report;
  AttentionHealth& health = report.health;
  health.captions = row.images;
  // The largest standard error that a mean of numbers from 0 to 1 can have.
  const auto error = [&](double mean) {
    return std::sqrt(std::max(0.0, mean * (1 - mean)) / static_cast<double>(row.images));
  };
  for (const auto& [name, spread] : row.metrics) {
    if (name == attention_metric("static_share")) health.static_share = spread.mean;
    if (name == attention_metric("from_uniform")) health.from_uniform = spread.mean;
  }
  health.static_error = error(health.static_share);
  health.from_uniform_error = error(health.from_uniform);
  std::string out;
  for (const DeadSign& sign : dead_signs(report))
    out +=
        str(out.empty() ? "dead: " : ", ", sign.kind == DeadKind::kUniform ? "uniform" : "static");
  return out;
}

bool any(const Judgement& judgement, IntervalOver over) {
  return std::any_of(judgement.rows.begin(), judgement.rows.end(), [&](const JudgedRow& row) {
    return std::any_of(row.metrics.begin(), row.metrics.end(),
                       [&](const JudgedMetric& metric) { return metric.over == over; });
  });
}

}  // namespace

std::string headline(const Comparison& comparison) {
  if (!comparison.regimes)
    return str(counted(comparison.images, "image"), " of ", comparison.dataset);
  std::string seeds =
      join(comparison.seeds, ", ", [&](const auto& seed) { return std::to_string(seed); });
  return str(comparison.name, ": ",
             counted(comparison.images, str(split_name(comparison.split), " image")), " of ",
             comparison.dataset, "; seeds ", seeds,
             comparison.jobs > 1
                 ? str("; times were measured while ", comparison.jobs, " runs trained at once")
                 : std::string());
}

namespace {

// The columns that name a row: the arm and, where there are regimes, the regime; or the system.
Table arms_table(bool regimes) {
  if (!regimes) return {.columns = {{.key = "system"}}};
  return {.columns = {{.key = "arm"}, {.key = "regime"}}, .names = 2};
}

Table::Cells arm_cells(const ArmResult& arm, Regime regime, bool regimes) {
  if (!regimes) return {arm.arm.name};
  return {arm.arm.name, enum_name(regime)};
}

}  // namespace

Table means_table(const std::vector<Row>& rows, bool regimes, Shown shown,
                  std::span<const ScoreMark> marks) {
  Table table = arms_table(regimes);
  std::vector<Numbers> numbers;
  std::vector<std::string> names, dead;
  for (const Row& row : rows) {
    table.add(arm_cells(*row.arm, row.regime, regimes));
    for (const auto& [name, spread] : numbers.emplace_back(numbers_of(row))) names.push_back(name);
    dead.push_back(dead_cell(row));
  }
  bool says_dead =
      std::any_of(dead.begin(), dead.end(), [](const std::string& text) { return !text.empty(); });
  const auto add_dead = [&] {
    if (!std::exchange(says_dead, false)) return;
    table.columns.push_back({.key = "attention"});
    for (std::size_t i = 0; i < rows.size(); ++i) table.rows[i].emplace_back(dead[i]);
  };
  const std::vector<std::string> main = headlines_of(names);
  for (const std::string& name : in_table_order(std::move(names))) {
    if (is_cost(find_metric(name))) add_dead();
    const std::string own(without_set(name));
    if (shown == Shown::kHeadline && std::find(main.begin(), main.end(), own) == main.end())
      continue;
    table.columns.push_back(column_of(name, marks));
    for (std::size_t i = 0; i < rows.size(); ++i)
      table.rows[i].push_back(mean_cell(numbers[i], name));
  }
  add_dead();
  return table;
}

std::string row_name(const JudgedRow& row, const Judgement& judgement) {
  return judgement.regimes ? str(row.arm->arm.name, " (", enum_name(row.regime), ")")
                           : row.arm->arm.name;
}

std::string p_text(double p) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), p < 0.001 ? "p < 0.001" : "p = %.2g", p);
  return text.data();
}

std::string signed_number(double value) {
  const std::string size = fixed(std::abs(value));
  return std::isnan(value) || size == fixed(0) ? size : (value < 0 ? "-" : "+") + size;
}

Table::Cell interval_cell(const JudgedMetric& metric) {
  return Table::Cell(metric.spread.mean).between(metric.interval.low, metric.interval.high);
}

Table::Cell difference_cell(const JudgedMetric& metric) {
  if (!metric.difference) return {};
  const JudgedDifference& one = *metric.difference;
  if (one.both_zero) return "both 0, no test";
  // Where all images have the same score in both, but for rounding, a p-value of 1 would look like
  // an error.
  const auto none = [](double number) { return fixed(std::abs(number)) == fixed(0); };
  if (none(one.value) && none(one.interval.low) && none(one.interval.high) && one.holm == 1)
    return "equal";
  Table::Cell cell(one.value);
  cell.between(one.interval.low, one.interval.high).show(signed_number(one.value));
  cell.remark = std::isnan(one.holm) ? "(no test)" : p_text(one.holm);
  return cell;
}

Table judged_table(const Judgement& judgement, Table::Cell (*cell)(const JudgedMetric&),
                   std::span<const ScoreMark> marks) {
  Table table = arms_table(judgement.regimes);
  const std::vector<std::string> metrics = headline_metrics(judgement);
  for (const std::string& name : metrics) table.columns.push_back(metric_column(name, marks));
  for (const JudgedRow& row : judgement.rows) {
    table.add(arm_cells(*row.arm, row.regime, judgement.regimes));
    for (const std::string& name : metrics) {
      const JudgedMetric* own = row.find(name);
      table.rows.back().push_back(own ? cell(*own) : Table::Cell());
    }
  }
  return table;
}

std::string legend(const Judgement& judgement) {
  const std::string level = str(100 * judgement.level(), " %");
  const char* runs = judgement.regimes ? "seed" : "run";
  std::string out = "In brackets: " + level + " interval";
  if (any(judgement, IntervalOver::kSeedsAndImages))
    out += str(" over ", runs, "s and images (Student's t)");
  if (any(judgement, IntervalOver::kSeedsAndImages) && any(judgement, IntervalOver::kImages))
    out += ", or";
  if (any(judgement, IntervalOver::kImages))
    out += str(" over images alone (bootstrap; of rates, Wilson's) where there is one ", runs);
  bool lacks = false, tested = false, sampled = false;
  Index undefined = 0;
  for (const JudgedRow& row : judgement.rows)
    for (const JudgedMetric& metric : row.metrics) {
      lacks = lacks || std::isnan(metric.interval.low);
      if (!metric.difference) continue;
      tested = true;
      sampled = sampled || metric.difference->over == IntervalOver::kImages;
      if (!std::isnan(metric.difference->p_value))
        undefined = std::max(undefined, metric.difference->undefined);
    }
  if (lacks) out += "; without brackets: too few images for an interval";
  if (undefined > 0)
    out += str("; up to ", undefined, " of ", judgement.options.resampling.replicates,
               " resamples have no score and are left out");
  if (!tested) return out;
  out += "; p: two-sided p-value";
  if (sampled) out += str(", of one ", runs, " against one by exchanging their captions at random");
  const std::string& primary = judgement.options.primary;
  out += str(", corrected after Holm for all arms",
             judgement.regimes ? " in their own regimes (the first of each)" : "",
             primary.empty() ? " times the headline metrics"
                             : " in the primary metric, " + metric_label(primary));
  if (!primary.empty()) out += ", and apart from these for the headlines";
  if (judgement.regimes) out += ", and apart from these for the other regimes";
  return out + "; the intervals are not corrected";
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
