// The registry of metrics as people, programs and pages read it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace saccade {

// What `saccade list metrics` prints: every metric with its direction, unit and who measures it, by
// groups, and how the names of variants are made.
std::string metrics_text();

// [{"name", "label", "unit", "better": "larger" | "smaller" | "neither", "headline", "interval",
// "group", "measured_by": ["score", "evaluate", "validations", "updates", "compare", "pages"],
// "doc", "headline_of_texts"}], variants included.
nlohmann::ordered_json metrics_json();

// A script that defines METRICS, an object of {label, headline, headline_of_texts, group,
// each_image, doc} by the names of all metrics. It is to be the first of a page.
std::string metrics_script();

}  // namespace saccade
