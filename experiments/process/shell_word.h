// Command lines that a person may copy.
#pragma once

#include <string>

namespace saccade {

// An argument of a command, in quotes where a shell needs them.
std::string shell_word(const std::string& argument);

}  // namespace saccade
