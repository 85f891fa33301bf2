// Numbers as people write them elsewhere, and what a config wants instead.
#pragma once

#include <string>
#include <string_view>

namespace saccade {

// Why a text is no integer of 64 bits, as a phrase for messages, with what to write instead where
// the text leaves no doubt: `is not an integer; write 31` for 0x1F. The text is not one.
std::string not_an_integer(std::string_view text);

// The same for numbers: `is not a number; write 1.5` for 1,5. The text is no finite double.
std::string not_a_double(std::string_view text);

}  // namespace saccade
