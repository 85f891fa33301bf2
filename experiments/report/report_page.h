// Makes the page of a report from the markup, style and scripts of this folder and the data: one
// file that loads nothing else.
#pragma once

#include <string>
#include <string_view>

namespace saccade {

// The name of the page in the directory of a run or a comparison.
inline constexpr const char* kReportFile = "report.html";

// The page with its data. `json` is any JSON text; characters that could end the element which
// holds it are escaped.
std::string report_page(const std::string& json);

// The script before the others of a page: what they read of the program, which is METRICS
// (metric_list.h) and UNIFORM_ENTROPY, above which a map is uniform.
std::string program_values();

// Replaces the placeholder `place` in a page by `text`. Throws InternalError where the page does
// not have it.
void put_part(std::string& page, std::string_view place, std::string_view text);

}  // namespace saccade
