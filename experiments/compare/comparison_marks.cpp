#include "experiments/compare/comparison_marks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

std::vector<ScoreMark> marks_of(const Comparison& comparison) {
  struct Found {
    ScoreMark mark;
    std::vector<std::string> rows;
    std::size_t scored = 0;
  };
  std::vector<Found> found;
  std::size_t scored = 0;
  for (const ArmResult& arm : comparison.arms)
    for (const SeedResult& seed : arm.seeds)
      for (const RegimeScores& scores : seed.regimes) {
        ++scored;
        const std::string row = comparison.regimes
                                    ? str(arm.arm.name, " (", enum_name(scores.regime), ")")
                                    : arm.arm.name;
        for (const ScoreMark& mark : scores.marks) {
          auto one = std::find_if(found.begin(), found.end(), [&](const Found& other) {
            return other.mark.reason == mark.reason && other.mark.metrics == mark.metrics;
          });
          if (one == found.end()) one = found.insert(found.end(), {.mark = mark, .rows = {}});
          ++one->scored;
          if (std::find(one->rows.begin(), one->rows.end(), row) == one->rows.end())
            one->rows.push_back(row);
        }
      }
  std::vector<ScoreMark> out;
  for (Found& one : found) {
    if (one.scored < scored)
      one.mark.reason = str("of ", first_names(one.rows), ": ", one.mark.reason);
    out.push_back(std::move(one.mark));
  }
  return out;
}

}  // namespace saccade
