// The English function words of METEOR 1.5: frequent words that weigh less than content words.
#pragma once

#include <string_view>

namespace saccade::meteor {

// Whether a normalised, lower-case word is one of the 93.
bool is_function_word(std::string_view word);

}  // namespace saccade::meteor
