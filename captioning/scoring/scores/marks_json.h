// Marks of scores (score_marks.h) as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "captioning/scoring/scores/score_marks.h"

namespace saccade {

// [{"metrics": [...], "reason": "..."}]
nlohmann::ordered_json marks_json(std::span<const ScoreMark> marks);

}  // namespace saccade
