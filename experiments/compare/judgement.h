// The statistics of a comparison: every score with a confidence interval, and its difference to the
// reference arm with a p-value, corrected for the tests of its family.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "captioning/scoring/statistics/seeds.h"
#include "experiments/compare/comparison.h"
#include "experiments/compare/judge_options.h"

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

// Which tests are corrected together. JSON and CSV name it "family".
enum class Family { kVerdict, kHeadlines, kRegimes, kDetail };
constexpr auto enum_table(Family) {
  using enum Family;
  return enum_rows<Family>({
      {kVerdict, "verdict",
       "every arm in its own regime, in the headline metrics or in the primary one"},
      {kHeadlines, "headlines", "the same in the headlines besides a primary metric"},
      {kRegimes, "regimes", "the other regimes of the arms, in the headline metrics"},
      {kDetail, "detail", "all arms and regimes in one metric that is no headline"},
  });
}

inline constexpr double kSmallestShown = 5e-5;  // the smallest number that four decimals show

struct JudgedDifference {
  double value = 0;  // the mean of this row minus that of the reference
  // Four decimals show 0 for both scores. BLEU adds tiny numbers to its counts, so that captions
  // without a common 4-gram differ in what means nothing: there is no test, and no p-value (NaN).
  bool both_zero = false;
  IntervalOver over = IntervalOver::kImages;
  Index seeds = 1, reference_seeds = 1;  // the number of runs of each
  bool same_seed = true;                 // the runs of both have the same seeds
  Interval interval;
  double p_value = 1;  // two-sided
  double holm = 1;     // the p-value, corrected for the tests of the family
  Family family = Family::kVerdict;
  Index tests = 1;      // in the family
  EstimateError error;  // of the value
  Index undefined = 0;  // replicates without a score, which are left out (kMostUndefined)
  // Where a margin was given: the p-value of "it differs by the margin or more", corrected for the
  // other differences that have margins.
  double margin = 0, p_outside = 1;

  // The smallest difference that the test finds with a power of .80 after the correction for the
  // family, if the chance is as these runs show it.
  double detectable(double level) const;
  // Of runs to which a sentence can be given: one run against one, or against at least
  // kFewestSeeds, or as many of both. Of two seeds, a t interval is wide and a test finds next to
  // nothing.
  bool enough_seeds() const;
};
inline constexpr Index kFewestSeeds = 3;

struct JudgedMetric {
  std::string name;
  Spread spread;
  IntervalOver over = IntervalOver::kImages;
  Interval interval;  // of the mean over seeds
  Index images = 0;
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
  bool regimes = true;                   // rows are of regimes; else of files of captions
  JudgeOptions options;
  std::vector<JudgedRow> rows;

  double level() const { return options.resampling.level; }

  // The judged row of an arm in a regime; null where all of its seeds failed.
  const JudgedRow* find(const Row& row) const;
};

// Judges every row. With several seeds intervals and p-values are those of across_seeds() and
// compare_seeds() (statistics/seeds.h). With one seed on each side intervals are of the bootstrap
// over images, and p-values of the randomisation test. Failed seeds are left out, and arms whose
// seeds all failed. The p-values of a family are corrected after Holm (Scandinavian Journal of
// Statistics 6, 1979).
Judgement judge(const Comparison& comparison, const JudgeOptions& options = {});

}  // namespace saccade
