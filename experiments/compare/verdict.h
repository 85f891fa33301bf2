// The verdict of a comparison: sentences that its numbers support.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/judgement.h"

namespace saccade {

// The headlines of the registry of metrics that have an interval, as far as a comparison has them.
std::vector<std::string> headline_metrics(const Judgement& judgement);

// One sentence for each headline metric of every arm except the reference, in its first regime:
//   hard (argmax) against soft: BLEU-4 is 0.0041 higher (95 % interval [-0.0060, 0.0142],
//   p = 0.41): no evidence of a difference with 3 seeds
// A sentence has "better" or "worse", as the registry of metrics has it, only if the corrected
// p-value is below 1 - level and four decimals show a difference. There is no sentence if there are
// too few numbers for a test. With one seed the interval is over images, and the sentence adds that
// it tells nothing about other seeds.
std::vector<std::string> verdict(const Judgement& judgement);

}  // namespace saccade
