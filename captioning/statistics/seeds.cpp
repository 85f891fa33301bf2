#include "captioning/statistics/seeds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "captioning/statistics/student.h"
#include "core/base/error.h"
#include "core/base/random.h"

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

// The variance of the sample; for a single value 0 / 0, which is NaN.
double variance_of(const Values& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(values.size() - 1);
}

void subtract(Values& from, const Values& values) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= values[i];
}

// Draws the runs of one replicate, as indices below `runs`.
std::vector<std::size_t> draw_runs(std::size_t runs, std::uint64_t seed, std::size_t replicate,
                                   std::uint64_t arm) {
  Random random({seed, Stream::kBootstrapSeeds, replicate, arm});
  std::vector<std::size_t> drawn(runs);
  for (std::size_t& run : drawn) run = random.below(runs);
  return drawn;
}

// One metric of the runs of an arm, or of the differences of paired runs.
struct RunScores {
  Values whole;                   // [runs], on all images
  std::vector<Values> resampled;  // [runs, replicates], on resampled images

  double mean() const { return mean_of(whole); }

  VarianceComponent over_seeds() const {
    const auto runs = static_cast<double>(whole.size());
    return {variance_of(whole) / runs, runs - 1};
  }

  // The mean over all runs [replicates]: only the images vary.
  Values over_images() const {
    Values out(resampled[0].size());
    for (std::size_t r = 0; r < out.size(); ++r) {
      for (const Values& run : resampled) out[r] += run[r];
      out[r] /= static_cast<double>(resampled.size());
    }
    return out;
  }

  // The mean over runs that are drawn anew [replicates]: seeds and images vary.
  Values over_both(std::uint64_t seed, std::uint64_t arm) const {
    Values out(resampled[0].size());
    for (std::size_t r = 0; r < out.size(); ++r) {
      for (const std::size_t run : draw_runs(resampled.size(), seed, r, arm)) {
        out[r] += resampled[run][r];
      }
      out[r] /= static_cast<double>(resampled.size());
    }
    return out;
  }
};

// A metric of each run of an arm, whose first run is row `first` of the resampled scores.
RunScores run_scores(const Runs& runs, std::size_t metric, std::size_t first,
                     const std::vector<Values>& scores) {
  RunScores out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& metrics = runs[i]->metrics;
    out.whole.push_back(metrics[metric].whole());
    out.resampled.push_back(scores[first + i * metrics.size() + metric]);
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
  const bool same =
      std::equal(a.begin(), a.end(), b.begin(), b.end(),
                 [](const SeedRun* x, const SeedRun* y) { return x->seed == y->seed; });
  return same ? SeedPairing::kPaired : SeedPairing::kIndependent;
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
    const Values replicates = metric.over_both(resampling.seed, 0);
    const VarianceComponent parts[] = {metric.over_seeds(),
                                       image_component(metric.over_images(), table.images())};
    out.push_back({.metric = runs[0]->metrics[m].metric,
                   .seeds = std::ssize(runs),
                   .mean = metric.mean(),
                   .deviation = std::sqrt(variance_of(metric.whole)),
                   .intervals = {percentile_interval(replicates, resampling.level),
                                 student_test(metric.mean(), parts, resampling.level).interval},
                   .undefined = count_undefined(replicates)});
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
    RunScores of_a = run_scores(runs_a, m, 0, scores);
    RunScores of_b = run_scores(runs_b, m, first_b, scores);
    const double mean_a = of_a.mean(), mean_b = of_b.mean();
    Values over_images = of_a.over_images();
    subtract(over_images, of_b.over_images());

    Values replicates;
    std::vector<VarianceComponent> parts;
    if (pairing == SeedPairing::kPaired) {
      subtract(of_a.whole, of_b.whole);
      for (std::size_t i = 0; i < runs_a.size(); ++i) {
        subtract(of_a.resampled[i], of_b.resampled[i]);
      }
      replicates = of_a.over_both(resampling.seed, 0);
      parts = {of_a.over_seeds()};
    } else {
      replicates = of_a.over_both(resampling.seed, 0);
      subtract(replicates, of_b.over_both(resampling.seed, 1));
      parts = {of_a.over_seeds(), of_b.over_seeds()};
    }
    double variance = 0;
    for (const VarianceComponent& part : parts) variance += part.variance;
    parts.push_back(image_component(over_images, table.images()));
    const StudentTest test = student_test(mean_a - mean_b, parts, resampling.level);
    out.push_back({.metric = a[0].metrics[m].metric,
                   .pairing = pairing,
                   .mean_a = mean_a,
                   .mean_b = mean_b,
                   .difference = mean_a - mean_b,
                   .standard_error = std::sqrt(variance),
                   .intervals = {percentile_interval(replicates, resampling.level), test.interval},
                   .p_value = sign_p_value(replicates),
                   .t_p_value = test.p_value,
                   .undefined = count_undefined(replicates)});
  }
  return out;
}

}  // namespace saccade
