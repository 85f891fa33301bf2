// The English function words of METEOR 1.5: frequent words that weigh less than content words.
#pragma once

#include <span>
#include <string_view>

namespace saccade::meteor {

// Whether a normalised, lower-case word is one of the 93.
bool is_function_word(std::string_view word);

// All of them, in byte order, punctuation included.
std::span<const std::string_view> function_words();

}  // namespace saccade::meteor
