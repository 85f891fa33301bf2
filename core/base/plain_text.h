// Makes text from outside (names of files, words of a checkpoint) safe to print on a terminal.
#pragma once

#include <string>

namespace saccade {

// Control characters become spaces, and bytes that are not UTF-8 become U+FFFD.
std::string plain_text(const std::string& text);

}  // namespace saccade
