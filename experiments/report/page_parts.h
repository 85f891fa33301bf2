// The files of the page, which embed.cmake puts into the program when it is built.
#pragma once

#include <string_view>

namespace saccade::page_parts {

extern const std::string_view style;  // report.css

// The explorer, with what every page has: scripts in the order of CMakeLists.txt, and the list of
// keys, which stands in place of <!--{help}-->.
extern const std::string_view explorer_script, help;

extern const std::string_view report_markup, report_script;          // of report.html
extern const std::string_view live_markup, live_style, live_script;  // of `saccade serve`

}  // namespace saccade::page_parts
