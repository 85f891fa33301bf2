// A comparison as a picture: the headline metrics of every arm with their intervals.
#pragma once

#include <string>

#include "experiments/compare/comparison.h"
#include "experiments/compare/judgement.h"

namespace saccade {

// An SVG with a row for each arm, in its first regime, and a panel for each headline metric that
// has intervals. The mean of the reference is drawn through all rows. Empty where no arm has such a
// metric.
std::string comparison_svg(const Comparison& comparison, const Judgement& judgement);

}  // namespace saccade
