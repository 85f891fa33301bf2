// Judged scores as JSON, as comparisons of models and of files of captions have them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/compare/judgement.h"

namespace saccade {

// A number; null where it has no value.
nlohmann::ordered_json number_json(double value);

// {"mean", "std", "n"}.
nlohmann::ordered_json spread_json(const Spread& spread);

// Adds the interval and, where there is one, the difference of a judged metric to its spread.
void add_judged(const JudgedMetric& metric, double level, nlohmann::ordered_json& json);

}  // namespace saccade
