// Messages to a person, on stderr; stdout is for data. Everything may include it.
#pragma once

#include <string>

namespace saccade::log {

void info(const std::string& message);
void warn(const std::string& message);
void error(const std::string& message);

}  // namespace saccade::log
