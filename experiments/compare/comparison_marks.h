// Marks of scores that can say little (score_marks.h) in a comparison.
#pragma once

#include <vector>

#include "captioning/scoring/scores/score_marks.h"
#include "experiments/compare/comparison.h"

namespace saccade {

// The marks of all arms, each once. A reason that does not hold for all rows names those for which
// it does.
std::vector<ScoreMark> marks_of(const Comparison& comparison);

}  // namespace saccade
