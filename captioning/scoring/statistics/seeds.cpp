#include "captioning/scoring/statistics/seeds.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

namespace {

using Runs = std::vector<const SeedRun*>;
using Values = std::vector<double>;

// Sorts the runs by seed, so that the order in which they are listed changes nothing.
Runs sorted_runs(std::span<const SeedRun> arm) {
  if (arm.empty()) throw DataError("across seeds: an arm without runs; train it with one seed");
  Runs runs;
  for (const SeedRun& run : arm) {
    check_same_metrics(arm[0].metrics, run.metrics);
    runs.push_back(&run);
  }
  std::sort(runs.begin(), runs.end(),
            [](const SeedRun* x, const SeedRun* y) { return x->seed < y->seed; });
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i - 1]->seed == runs[i]->seed) {
      throw DataError(str("across seeds: seed ", runs[i]->seed,
                          " comes twice in one arm; list every run once"));
    }
  }
  return runs;
}

double mean_of(const Values& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

void subtract(Values& from, const Values& values) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= values[i];
}

// One metric of the runs of an arm, or of the differences of paired runs.
struct RunScores {
  Values whole;        // [runs], on all images
  Values over_images;  // [replicates], the mean over all runs on resampled images

  double runs() const { return static_cast<double>(whole.size()); }
  double mean() const { return mean_of(whole); }
  // The variance of the mean over seeds.
  VarianceComponent over_seeds() const { return {variance_of(whole) / runs(), runs() - 1}; }
};

// A metric of each run of an arm, whose first run is row `first` of the resampled scores.
RunScores run_scores(const Runs& runs, std::size_t metric, std::size_t first,
                     const std::vector<Values>& scores) {
  RunScores out{.whole = {}, .over_images = Values(scores[0].size())};
  const auto out_of = static_cast<double>(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& metrics = runs[i]->metrics;
    out.whole.push_back(metrics[metric].whole());
    const Values& own = scores[first + i * metrics.size() + metric];
    for (std::size_t r = 0; r < own.size(); ++r) out.over_images[r] += own[r] / out_of;
  }
  return out;
}

void add_runs(RowTable& table, const Runs& runs) {
  for (const SeedRun* run : runs) table.add(run->metrics);
}

VarianceComponent image_component(const Values& over_images, Index images) {
  return {variance_of(over_images), static_cast<double>(images - 1)};
}

SeedPairing pairing_of(const Runs& a, const Runs& b) {
  if ((a.size() == 1) != (b.size() == 1)) return SeedPairing::kOneRun;
  const bool same =
      std::equal(a.begin(), a.end(), b.begin(), b.end(),
                 [](const SeedRun* x, const SeedRun* y) { return x->seed == y->seed; });
  return same ? SeedPairing::kPaired : SeedPairing::kIndependent;
}

// The error of the difference of two means. `a` and `b` hold one metric of both arms.
EstimateError error_of(RunScores a, const RunScores& b, SeedPairing pairing, Index images) {
  subtract(a.over_images, b.over_images);
  const VarianceComponent over_images = image_component(a.over_images, images);
  switch (pairing) {
    case SeedPairing::kPaired:
      subtract(a.whole, b.whole);
      return {{a.over_seeds(), over_images}, Combination::kEachItsOwn};
    case SeedPairing::kIndependent:
      return {{a.over_seeds(), b.over_seeds(), over_images}, Combination::kSatterthwaite};
    case SeedPairing::kOneRun: {
      const RunScores& several = a.whole.size() == 1 ? b : a;
      const VarianceComponent one_run{variance_of(several.whole) * (1 + 1 / several.runs()),
                                      several.runs() - 1};
      return {{one_run, over_images}, Combination::kEachItsOwn};
    }
  }
  throw InternalError("unknown pairing of seeds");
}

}  // namespace

std::vector<SeedSpread> across_seeds(std::span<const SeedRun> arm, const Resampling& resampling) {
  const Runs runs = sorted_runs(arm);
  RowTable table;
  add_runs(table, runs);
  const auto scores = resample_scores(table, resampling);
  std::vector<SeedSpread> out;
  for (std::size_t m = 0; m < runs[0]->metrics.size(); ++m) {
    const RunScores metric = run_scores(runs, m, 0, scores);
    const EstimateError error(
        {metric.over_seeds(), image_component(metric.over_images, table.images())},
        Combination::kEachItsOwn);
    out.push_back({.metric = runs[0]->metrics[m].metric,
                   .seeds = std::ssize(runs),
                   .mean = metric.mean(),
                   .deviation = std::sqrt(variance_of(metric.whole)),
                   .interval = error.interval(metric.mean(), resampling.level),
                   .undefined = count_undefined(metric.over_images)});
  }
  return out;
}

std::vector<SeedDifference> compare_seeds(std::span<const SeedRun> a, std::span<const SeedRun> b,
                                          const Resampling& resampling) {
  const Runs runs_a = sorted_runs(a), runs_b = sorted_runs(b);
  check_same_metrics(a[0].metrics, b[0].metrics);
  const SeedPairing pairing = pairing_of(runs_a, runs_b);
  RowTable table;
  add_runs(table, runs_a);
  add_runs(table, runs_b);
  const auto scores = resample_scores(table, resampling);
  std::vector<SeedDifference> out;
  for (std::size_t m = 0; m < a[0].metrics.size(); ++m) {
    const std::size_t first_b = runs_a.size() * a[0].metrics.size();
    const RunScores of_a = run_scores(runs_a, m, 0, scores);
    const RunScores of_b = run_scores(runs_b, m, first_b, scores);
    Values over_images = of_a.over_images;
    subtract(over_images, of_b.over_images);
    SeedDifference one{.metric = a[0].metrics[m].metric,
                       .pairing = pairing,
                       .mean_a = of_a.mean(),
                       .mean_b = of_b.mean(),
                       .difference = score_difference(of_a.mean(), of_b.mean()),
                       .error = error_of(of_a, of_b, pairing, table.images()),
                       .interval = {},
                       .undefined = count_undefined(over_images)};
    one.interval = one.error.interval(one.difference, resampling.level);
    one.p_value = one.error.p_value(one.difference);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace saccade
