// The files of the pages, which embed.cmake puts into the program when it is built.
#pragma once

#include <string_view>

namespace saccade::page_parts {

extern const std::string_view style;  // report.css

// The parts that all pages share: the scripts of the explorer, in the order of CMakeLists.txt, and
// the help, which replaces <!--{help}-->.
extern const std::string_view explorer_script, help;

extern const std::string_view report_markup, report_script;          // of the report
extern const std::string_view live_markup, live_style, live_script;  // of `saccade serve`

}  // namespace saccade::page_parts
