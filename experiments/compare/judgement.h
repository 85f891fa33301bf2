// What a comparison's numbers are worth: every score with the interval that chance leaves it, and
// its difference to the reference arm with a p-value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/statistics/resampling.h"
#include "experiments/compare/comparison.h"

namespace saccade {

// What an interval takes in.
enum class Chance { kImages, kSeedsAndImages };
constexpr auto enum_table(Chance) {
  using enum Chance;
  return enum_rows<Chance>({
      {kImages, "images", "other images, the same run: all that one seed can say"},
      {kSeedsAndImages, "seeds_and_images", "other seeds too"},
  });
}

struct JudgedDifference {
  double value = 0;  // of this row less the reference
  Chance chance = Chance::kImages;
  Index seeds = 1, reference_seeds = 1;  // how many runs of each there are
  bool same_seed = true;                 // the runs of both have the same seeds
  Interval interval;
  double p_value = 1;  // two-sided
  double holm = 1;     // the same, corrected for all rows that are tested by this metric
};

struct JudgedMetric {
  std::string name;
  Spread spread;
  Chance chance = Chance::kImages;
  Interval interval;                           // of the mean over seeds
  std::optional<JudgedDifference> difference;  // none for the reference itself, and for an arm that
                                               // was not scored on the same images
};

// One row of the table: an arm in a regime.
struct JudgedRow {
  const ArmResult* arm = nullptr;
  Regime regime = Regime::kExpectation;
  std::vector<JudgedMetric> metrics;  // those that can be resampled
  bool other_images = false;          // than the reference was scored on

  const JudgedMetric* find(const std::string& metric) const;
};

struct Judgement {
  const ArmResult* reference = nullptr;  // in its first regime
  Resampling resampling;
  std::vector<JudgedRow> rows;

  // That of an arm in a regime; null where no seed of it went well.
  const JudgedRow* find(const Row& row) const;
};

// Of several seeds as across_seeds() and compare_seeds() (statistics/seeds.h) have it, by their t
// intervals; of one seed by the bootstrap over images. Failed seeds are left out, and arms without
// any other. The p-values of a metric are corrected after Holm (Scandinavian Journal of Statistics
// 6, 1979).
Judgement judge(const Comparison& comparison, const Resampling& resampling = {});

// p-values in their order, corrected: the k-th smallest of m times m - k + 1, never less than the
// one before it, at most 1. NaN stays, and does not count.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace saccade
