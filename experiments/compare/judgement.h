// The statistics of a comparison: every score with a confidence interval, and its difference to the
// reference arm with a p-value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/statistics/resampling.h"
#include "experiments/compare/comparison.h"

namespace saccade {

// What may vary in an interval: it says how far a score would move with other images, or with other
// seeds, too. JSON and CSV name it "chance".
enum class IntervalOver { kImages, kSeedsAndImages };
constexpr auto enum_table(IntervalOver) {
  using enum IntervalOver;
  return enum_rows<IntervalOver>({
      {kImages, "images", "other images, for the same run; all that one seed can show"},
      {kSeedsAndImages, "seeds_and_images", "other seeds and other images"},
  });
}

struct JudgedDifference {
  double value = 0;  // this row minus the reference
  IntervalOver over = IntervalOver::kImages;
  Index seeds = 1, reference_seeds = 1;  // the number of runs of each
  bool same_seed = true;                 // the runs of both have the same seeds
  Interval interval;
  double p_value = 1;  // two-sided
  double holm = 1;     // the p-value, corrected for all rows that are tested by this metric
};

struct JudgedMetric {
  std::string name;
  Spread spread;
  IntervalOver over = IntervalOver::kImages;
  Interval interval;  // of the mean over seeds
  // Empty for the reference itself, and for an arm that was not scored on the same images.
  std::optional<JudgedDifference> difference;
};

// One row of the table: an arm in a regime.
struct JudgedRow {
  const ArmResult* arm = nullptr;
  Regime regime = Regime::kExpectation;
  std::vector<JudgedMetric> metrics;  // the metrics that can be resampled
  bool other_images = false;          // scored on other images than the reference

  const JudgedMetric* find(const std::string& metric) const;
};

struct Judgement {
  const ArmResult* reference = nullptr;  // in its first regime
  Resampling resampling;
  std::vector<JudgedRow> rows;

  // The judged row of an arm in a regime; null where all of its seeds failed.
  const JudgedRow* find(const Row& row) const;
};

// Judges every row: with several seeds by the t intervals of across_seeds() and compare_seeds()
// (statistics/seeds.h), with one seed by the bootstrap over images. Failed seeds are left out, and
// arms whose seeds all failed. The p-values of a metric are corrected after Holm (Scandinavian
// Journal of Statistics 6, 1979).
Judgement judge(const Comparison& comparison, const Resampling& resampling = {});

// Holm's correction of p-values, in their order: the k-th smallest of m is multiplied with
// m - k + 1, is never less than the one before it, and at most 1. NaN stays NaN and is not counted.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace saccade
