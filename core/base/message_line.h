// Messages quote what people brought, which may be a line of a megabyte.
#pragma once

#include <string>

namespace saccade {

// The message as it is, or without its middle where it has more than about 600 bytes: the place
// stands at its beginning and the remedy at its end. Characters of UTF-8 are not cut.
std::string message_line(std::string message);

}  // namespace saccade
