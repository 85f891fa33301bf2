// Marks of scores that can say little (score_marks.h) in a comparison.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/scores/score_marks.h"
#include "experiments/compare/comparison_text.h"

namespace saccade {

// The marks of all arms, each once. A reason that does not hold for all rows names those for which
// it does.
std::vector<ScoreMark> marks_of(const Comparison& comparison);

// Puts " *" behind the labels of lines whose metrics are marked.
void mark_labels(std::vector<Line>& lines, std::span<const ScoreMark> marks);

}  // namespace saccade
