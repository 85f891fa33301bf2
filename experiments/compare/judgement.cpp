#include "experiments/compare/judgement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "captioning/metrics/metric_registry.h"
#include "captioning/statistics/bootstrap.h"
#include "captioning/statistics/seeds.h"

namespace saccade {

namespace {

// The runs of an arm in a regime, without failed ones.
std::vector<SeedRun> runs_of(const ArmResult& arm, Regime regime) {
  std::vector<SeedRun> runs;
  for (const SeedResult& seed : arm.seeds)
    for (const RegimeScores& scores : seed.regimes)
      if (!seed.failed() && scores.regime == regime && !scores.metrics.empty())
        runs.push_back({seed.seed, scores.metrics});
  return runs;
}

const SeedResult* first_good(const ArmResult& arm) {
  const auto good = std::find_if(arm.seeds.begin(), arm.seeds.end(),
                                 [](const SeedResult& seed) { return !seed.failed(); });
  return good == arm.seeds.end() ? nullptr : &*good;
}

bool has(const SeedRun& run, const std::string& metric) {
  return std::any_of(run.metrics.begin(), run.metrics.end(),
                     [&](const ImageStatistics& own) { return own.metric == metric; });
}

// Keeps only the metrics that all runs of both sides have: a model without attention has no
// pointing accuracy, and neither has a seed whose captions name nothing.
void keep_common(std::vector<SeedRun>& a, std::vector<SeedRun>& b) {
  std::vector<std::string> lacking;
  for (const std::vector<SeedRun>* runs : {&a, &b})
    for (const SeedRun& run : *runs)
      for (const ImageStatistics& metric : run.metrics)
        for (const std::vector<SeedRun>* others : {&a, &b})
          for (const SeedRun& other : *others)
            if (!has(other, metric.metric)) lacking.push_back(metric.metric);
  for (std::vector<SeedRun>* runs : {&a, &b})
    for (SeedRun& run : *runs)
      std::erase_if(run.metrics, [&](const ImageStatistics& metric) {
        return std::find(lacking.begin(), lacking.end(), metric.metric) != lacking.end();
      });
}

// The part of an interval that the metric can reach: Student's t knows no bounds, so that over few
// seeds the interval of a rate may go beyond 0 and 1.
Interval reachable(const std::string& metric, const Interval& interval) {
  const MetricRange range = metric_range(metric);
  return {.low = std::max(interval.low, range.low), .high = std::min(interval.high, range.high)};
}

// The same of a difference of two scores.
Interval reachable_difference(const std::string& metric, const Interval& interval) {
  const MetricRange range = metric_range(metric);
  const double most = range.high - range.low;
  return {.low = std::max(interval.low, -most), .high = std::min(interval.high, most)};
}

std::vector<JudgedMetric> intervals_of(std::vector<SeedRun> runs, const Resampling& resampling) {
  std::vector<SeedRun> none;
  keep_common(runs, none);
  std::vector<JudgedMetric> out;
  if (runs.size() == 1) {
    for (const ScoreInterval& one : bootstrap(runs[0].metrics, resampling))
      out.push_back({.name = one.metric,
                     .spread = spread_of({one.score}),
                     .over = IntervalOver::kImages,
                     .interval = one.interval,
                     .difference = {}});
    return out;
  }
  for (const SeedSpread& one : across_seeds(runs, resampling))
    out.push_back({.name = one.metric,
                   .spread = {.count = one.seeds, .mean = one.mean, .deviation = one.deviation},
                   .over = IntervalOver::kSeedsAndImages,
                   .interval = reachable(one.metric, one.intervals.t_interval),
                   .difference = {}});
  return out;
}

// A run of each side with the same seed, if there is one; else the first run of each.
std::pair<const SeedRun*, const SeedRun*> pair_of(const std::vector<SeedRun>& a,
                                                  const std::vector<SeedRun>& b) {
  for (const SeedRun& own : a)
    for (const SeedRun& other : b)
      if (own.seed == other.seed) return {&own, &other};
  return {&a[0], &b[0]};
}

std::map<std::string, JudgedDifference> differences_of(std::vector<SeedRun> runs,
                                                       std::vector<SeedRun> reference,
                                                       const Resampling& resampling) {
  keep_common(runs, reference);
  std::map<std::string, JudgedDifference> out;
  if (runs[0].metrics.empty()) return out;
  if (runs.size() == 1 || reference.size() == 1) {
    const auto [own, other] = pair_of(runs, reference);
    for (const PairedDifference& one : paired_bootstrap(own->metrics, other->metrics, resampling))
      out[one.metric] = {.value = one.difference,
                         .over = IntervalOver::kImages,
                         .seeds = 1,
                         .reference_seeds = 1,
                         .same_seed = own->seed == other->seed,
                         .interval = one.interval,
                         .p_value = one.p_value,
                         .holm = 1};
    return out;
  }
  for (const SeedDifference& one : compare_seeds(runs, reference, resampling))
    out[one.metric] = {.value = one.difference,
                       .over = IntervalOver::kSeedsAndImages,
                       .seeds = std::ssize(runs),
                       .reference_seeds = std::ssize(reference),
                       .same_seed = one.pairing == SeedPairing::kPaired,
                       .interval = reachable_difference(one.metric, one.intervals.t_interval),
                       .p_value = one.t_p_value,
                       .holm = 1};
  return out;
}

// Applies Holm's correction to the p-values of a metric over all rows that have it.
void correct(std::vector<JudgedRow>& rows, const std::string& metric) {
  std::vector<JudgedDifference*> tested;
  std::vector<double> p_values;
  for (JudgedRow& row : rows)
    for (JudgedMetric& own : row.metrics)
      if (own.name == metric && own.difference) {
        tested.push_back(&*own.difference);
        p_values.push_back(own.difference->p_value);
      }
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->holm = corrected[i];
}

const ArmResult* reference_of(const Comparison& comparison) {
  for (const ArmResult& arm : comparison.arms)
    if (first_good(arm) && (comparison.against.empty() || arm.arm.name == comparison.against))
      return &arm;
  return nullptr;
}

}  // namespace

const JudgedMetric* JudgedRow::find(const std::string& metric) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const JudgedMetric& own) { return own.name == metric; });
  return found == metrics.end() ? nullptr : &*found;
}

const JudgedRow* Judgement::find(const Row& row) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const JudgedRow& judged) {
    return judged.arm == row.arm && judged.regime == row.regime;
  });
  return found == rows.end() ? nullptr : &*found;
}

Judgement judge(const Comparison& comparison, const Resampling& resampling) {
  Judgement out{.reference = reference_of(comparison), .resampling = resampling, .rows = {}};
  std::vector<SeedRun> reference;
  if (out.reference && !first_good(*out.reference)->regimes.empty())
    reference = runs_of(*out.reference, first_good(*out.reference)->regimes[0].regime);
  std::vector<std::string> names;
  for (const Row& row : rows_of(comparison)) {
    const std::vector<SeedRun> runs = runs_of(*row.arm, row.regime);
    if (runs.empty()) continue;
    JudgedRow& own = out.rows.emplace_back(
        JudgedRow{.arm = row.arm, .regime = row.regime, .metrics = intervals_of(runs, resampling)});
    for (const JudgedMetric& metric : own.metrics) names.push_back(metric.name);
    const bool itself =
        row.arm == out.reference && row.regime == first_good(*out.reference)->regimes[0].regime;
    if (itself || reference.empty()) continue;
    own.other_images = first_good(*row.arm)->images != first_good(*out.reference)->images;
    if (own.other_images) continue;
    const auto differences = differences_of(runs, reference, resampling);
    for (JudgedMetric& metric : own.metrics)
      if (const auto found = differences.find(metric.name); found != differences.end())
        metric.difference = found->second;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) correct(out.rows, name);
  return out;
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i)
    if (!std::isnan(p_values[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> out = p_values;
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto left = static_cast<double>(order.size() - k);
    least = std::max(least, std::min(1.0, left * p_values[order[k]]));
    out[order[k]] = least;
  }
  return out;
}

}  // namespace saccade
