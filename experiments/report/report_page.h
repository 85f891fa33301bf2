// The page of a report: markup, style and scripts of this folder with the data in it, one file that
// asks for nothing else.
#pragma once

#include <string>
#include <string_view>

namespace saccade {

// `json` is any JSON text. What could end the element that holds it is escaped.
std::string report_page(const std::string& json);

// Puts `text` where a page says `place`. Throws InternalError where it does not.
void put_part(std::string& page, std::string_view place, std::string_view text);

}  // namespace saccade
