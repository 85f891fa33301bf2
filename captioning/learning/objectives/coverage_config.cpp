#include "captioning/learning/objectives/coverage_config.h"

#include "core/config/fields.h"

namespace saccade {

void CoverageConfig::fields(Section& v) {
  v.field("scale", scale, "how the costs of the regions are combined");
  v.field("target", target, "what a region's weights over the words of a caption should sum to");
  v.field("tau", tau, "the least sum a region should have",
          {.min = 0, .max = 1000, .min_open = true})
      .only_with("objective.coverage.target", CoverageTarget::kAtLeast);
}

}  // namespace saccade
