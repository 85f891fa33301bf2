#include "experiments/compare/judgement.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/scoring/statistics/holm.h"
#include "captioning/scoring/statistics/randomisation.h"
#include "core/base/error.h"

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
                     .images = runs[0].metrics[0].images,
                     .difference = {}});
    return out;
  }
  for (const SeedSpread& one : across_seeds(runs, resampling))
    out.push_back({.name = one.metric,
                   .spread = {.count = one.seeds, .mean = one.mean, .deviation = one.deviation},
                   .over = IntervalOver::kSeedsAndImages,
                   .interval = reachable(one.metric, one.interval),
                   .images = runs[0].metrics[0].images,
                   .difference = {}});
  return out;
}

// The differences of a single run to another, in every metric.
std::map<std::string, JudgedDifference> between_two_runs(const SeedRun& run,
                                                         const SeedRun& reference,
                                                         const Resampling& resampling) {
  std::map<std::string, JudgedDifference> out;
  const auto intervals = paired_bootstrap(run.metrics, reference.metrics, resampling);
  const auto tests =
      randomisation_test(run.metrics, reference.metrics,
                         {.replicates = resampling.replicates, .seed = resampling.seed});
  for (std::size_t m = 0; m < intervals.size(); ++m) {
    const PairedDifference& one = intervals[m];
    const auto degrees = static_cast<double>(run.metrics[m].images - 1);
    out[one.metric] = {
        .value = one.difference,
        .over = IntervalOver::kImages,
        .seeds = 1,
        .reference_seeds = 1,
        .same_seed = run.seed == reference.seed,
        .interval = one.interval,
        // A test without an interval would look like more than there is.
        .p_value = std::isnan(one.interval.low) ? one.interval.low : tests[m].p_value,
        .error = EstimateError({{one.variance, degrees}}, Combination::kEachItsOwn),
        .undefined = std::max(one.undefined, tests[m].undefined)};
  }
  return out;
}

std::map<std::string, JudgedDifference> differences_of(std::vector<SeedRun> runs,
                                                       std::vector<SeedRun> reference,
                                                       const Resampling& resampling) {
  keep_common(runs, reference);
  std::map<std::string, JudgedDifference> out;
  if (runs[0].metrics.empty()) return out;
  if (runs.size() == 1 && reference.size() == 1)
    return between_two_runs(runs[0], reference[0], resampling);
  for (const SeedDifference& one : compare_seeds(runs, reference, resampling))
    out[one.metric] = {.value = one.difference,
                       .over = IntervalOver::kSeedsAndImages,
                       .seeds = std::ssize(runs),
                       .reference_seeds = std::ssize(reference),
                       .same_seed = one.pairing == SeedPairing::kPaired,
                       .interval = reachable_difference(one.metric, one.interval),
                       .p_value = one.p_value,
                       .error = one.error,
                       .undefined = one.undefined};
  return out;
}

// Corrects the p-values of the tests of each family, and those of all tests of equality.
void correct(std::vector<JudgedRow>& rows, const JudgeOptions& options) {
  std::vector<std::string> names;
  for (const JudgedRow& row : rows)
    for (const JudgedMetric& metric : row.metrics) names.push_back(metric.name);
  const std::vector<std::string> main = headlines_of(names);
  const auto is_main = [&](const std::string& name) {
    return std::find(main.begin(), main.end(), name) != main.end();
  };
  std::map<std::string, std::vector<JudgedDifference*>> families;
  std::vector<JudgedDifference*> with_margin;
  const ArmResult* arm = nullptr;
  for (JudgedRow& row : rows) {
    const bool own_regime = row.arm != arm;
    arm = row.arm;
    for (JudgedMetric& metric : row.metrics) {
      if (!metric.difference) continue;
      JudgedDifference& one = *metric.difference;
      const double mean = metric.spread.mean, other = mean - one.value;
      one.both_zero = std::abs(mean) < kSmallestShown && std::abs(other) < kSmallestShown;
      if (one.both_zero) one.p_value = std::nan("");
      const bool primary = metric.name == options.primary;
      const bool asked = options.primary.empty() ? is_main(metric.name) : primary;
      one.family = own_regime && asked                              ? Family::kVerdict
                   : own_regime && is_main(metric.name)             ? Family::kHeadlines
                   : !own_regime && (asked || is_main(metric.name)) ? Family::kRegimes
                                                                    : Family::kDetail;
      const std::string own = one.family == Family::kDetail ? metric.name : "";
      if (!std::isnan(one.p_value))
        families[str(enum_name(one.family), " ", own)].push_back(&one);
      else
        one.holm = one.p_value;
      const auto margin = options.margins.find(metric.name);
      if (margin == options.margins.end() || !own_regime || one.both_zero) continue;
      one.margin = margin->second;
      one.p_outside = one.error.p_outside(one.value, one.margin);
      with_margin.push_back(&one);
    }
  }
  for (const auto& [name, tests] : families) {
    std::vector<double> p_values;
    for (const JudgedDifference* one : tests) p_values.push_back(one->p_value);
    const std::vector<double> corrected = holm(p_values);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      tests[i]->holm = corrected[i];
      tests[i]->tests = std::ssize(tests);
    }
  }
  std::vector<double> p_values;
  for (const JudgedDifference* one : with_margin) p_values.push_back(one->p_outside);
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t i = 0; i < with_margin.size(); ++i) with_margin[i]->p_outside = corrected[i];
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

double JudgedDifference::detectable(double level) const {
  return error.detectable((1 - level) / static_cast<double>(tests));
}

bool JudgedDifference::enough_seeds() const {
  const Index fewer = std::min(seeds, reference_seeds), more = std::max(seeds, reference_seeds);
  return fewer >= kFewestSeeds || (fewer == 1 && more != 2);
}

Judgement judge(const Comparison& comparison, const JudgeOptions& options) {
  Judgement out{.reference = reference_of(comparison),
                .regimes = comparison.regimes,
                .options = options,
                .rows = {}};
  const Resampling& resampling = options.resampling;
  std::vector<SeedRun> reference;
  if (out.reference && !first_good(*out.reference)->regimes.empty())
    reference = runs_of(*out.reference, first_good(*out.reference)->regimes[0].regime);
  for (const Row& row : rows_of(comparison)) {
    const std::vector<SeedRun> runs = runs_of(*row.arm, row.regime);
    if (runs.empty()) continue;
    JudgedRow& own = out.rows.emplace_back(
        JudgedRow{.arm = row.arm, .regime = row.regime, .metrics = intervals_of(runs, resampling)});
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
  correct(out.rows, options);
  return out;
}

}  // namespace saccade
