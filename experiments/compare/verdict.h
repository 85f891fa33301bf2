// A comparison in sentences that its numbers support.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/judgement.h"

namespace saccade {

// The metrics that people ask for first, as far as a comparison has them: Bleu_4, METEOR, CIDEr,
// true_caption_rate, pointing_accuracy.
std::vector<std::string> headline_metrics(const Judgement& judgement);

// A sentence for every arm but the reference, in its first regime, and headline metric:
//   hard (argmax) against soft (expectation), Bleu_4: 0.0041 higher [-0.0060, 0.0142], p = 0.41: no
//   evidence of a difference at 3 seeds
// "better" and "worse" are said where the corrected p-value is below 1 - level and the difference
// is one to four decimals; nothing is said where there are too few numbers for a test. One seed:
// the interval is over images, and the sentence says that it knows nothing of other seeds.
std::vector<std::string> verdict(const Judgement& judgement);

}  // namespace saccade
