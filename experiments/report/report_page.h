// The page of a report: markup, style and scripts of this folder with the data in it, one file that
// asks for nothing else.
#pragma once

#include <string>

namespace saccade {

// `json` is any JSON text. What could end the element that holds it is escaped.
std::string report_page(const std::string& json);

}  // namespace saccade
