// The section `objective.coverage`: how the words of a caption, taken together, should cover the
// regions.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class CoverageScale { kSum, kMean };
constexpr auto enum_table(CoverageScale) {
  using enum CoverageScale;
  return enum_rows<CoverageScale>({
      {kSum, "sum", "summed over the unmasked regions, as in the paper"},
      {kMean, "mean",
       "the mean over the unmasked regions, so that the weight means the same on every grid"},
  });
}

// s_i is the weight that the words of a caption give to region i, sum_t alpha_ti; T is the number
// of words, L the number of regions.
enum class CoverageTarget { kOne, kEven, kAtLeast };
constexpr auto enum_table(CoverageTarget) {
  using enum CoverageTarget;
  return enum_rows<CoverageTarget>({
      {kOne, "one",
       "(1 - s_i)^2 (Xu et al. 2015); at least (1 - T/L)^2 per region, which even maps reach"},
      {kEven, "even", "(T/L - s_i)^2: every region gets its share of the words; even maps reach 0"},
      {kAtLeast, "at_least",
       "max(0, tau - s_i)^2: every region gets some weight, and more costs nothing; at least "
       "max(0, tau - T/L)^2 per region"},
  });
}

struct CoverageConfig {
  CoverageScale scale = CoverageScale::kSum;
  CoverageTarget target = CoverageTarget::kOne;
  double tau = 0.1;

  void fields(Section& v);
};

}  // namespace saccade
