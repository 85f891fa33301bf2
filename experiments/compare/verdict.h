// The verdict of a comparison: sentences that its numbers support.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/judgement.h"

namespace saccade {

// The headlines of the registry of metrics that have an interval, as far as a comparison has them,
// and the primary metric.
std::vector<std::string> headline_metrics(const Judgement& judgement);

// Whether a sentence may say that a score differs from the reference's: the corrected p-value is
// below 1 - level, there are kFewestImages images, and enough_seeds().
bool is_finding(const Judgement& judgement, const JudgedMetric& metric);

// The sentences about every arm except the reference, in its own regime, in the headline metrics:
//   hard (argmax) against soft: BLEU-4 is 0.0341 lower (95 % interval [-0.0442, -0.0230],
//   p < 0.001): worse with 3 seeds
//   hard (argmax) against soft: no evidence of a difference with 3 seeds: CIDEr -0.0114 [-0.0413,
//   0.0185] (p = 0.24; power .80 from 0.0612 on)
// "Better" and "worse", as the registry of metrics has them, are said of arms with several seeds
// where is_finding() and four decimals show a difference. Of one run on each side it is said that
// this run scores higher or lower, and that this tells nothing about other seeds. Two seeds get
// their intervals and no verdict, and fewer than kFewestImages images none at all. What is not
// found stands with its interval and with the difference that would have been found. Where a margin
// was given, a sentence says whether the arms are equal within it.
std::vector<std::string> verdict(const Judgement& judgement);

}  // namespace saccade
