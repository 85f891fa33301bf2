// An evaluation as text for a terminal.
#pragma once

#include <string>

#include "captioning/study/evaluation/evaluate.h"

namespace saccade {

// The scores with one column per regime and one per baseline, in the order of the registry of
// metrics: the headlines first, then the details, then the scores of groups of images (of the first
// regime), grounding, attention and samples in tables of their own. What is measured only once, as
// perplexity, stands in the column of the first regime. A score that no column has is left out.
std::string evaluation_table(const EvaluationReport& report);

}  // namespace saccade
