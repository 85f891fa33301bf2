#include "captioning/learning/objectives/coverage.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

double coverage_target(const CoverageConfig& coverage, Index words, Index regions) {
  switch (coverage.target) {
    case CoverageTarget::kOne:
      return 1;
    case CoverageTarget::kEven:
      return static_cast<double>(words) / static_cast<double>(regions);
    case CoverageTarget::kAtLeast:
      return coverage.tau;
  }
  throw InternalError("unknown target of the coverage");
}

double penalty_floor(const CoverageConfig& coverage, Index words, Index regions) {
  if (coverage.target == CoverageTarget::kEven) return 0;
  const auto count = static_cast<double>(regions);
  double missing = coverage_target(coverage, words, regions) * count - static_cast<double>(words);
  if (coverage.target == CoverageTarget::kAtLeast) missing = std::max(missing, 0.0);
  const double floor = missing * missing / count;
  return coverage.scale == CoverageScale::kMean ? floor / count : floor;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
