// The files of the page, which embed.cmake puts into the program when it is built.
#pragma once

#include <string_view>

namespace saccade::page_parts {

extern const std::string_view markup;  // report.html
extern const std::string_view style;   // report.css
extern const std::string_view script;  // the .js files in the order of CMakeLists.txt

}  // namespace saccade::page_parts
