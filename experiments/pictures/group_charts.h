// The scores of groups of images (evaluation/score_groups.h) as charts.
#pragma once

#include <filesystem>
#include <vector>

#include "captioning/study/evaluation/evaluate.h"

namespace saccade {

// Writes groups.length, groups.objects and groups.rare_words of the report's first regime, as far
// as it has them, as PNG and SVG into a folder, which is created if it does not exist. Returns the
// paths. Throws IoError.
std::vector<std::filesystem::path> write_group_charts(const EvaluationReport& report,
                                                      const std::filesystem::path& folder);

}  // namespace saccade
