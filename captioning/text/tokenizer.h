// The words of a caption, for training and for scoring: lower case, no punctuation.
// Words are runs of letters, digits and combining marks; everything else separates, hyphens and
// apostrophes too ("tri-colored" -> tri colored, "man's" -> man s), as in Karpathy's tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade {

using Words = std::vector<std::string>;

// The words of a text (UTF-8, composed to NFC; bytes that are no UTF-8 separate words).
std::vector<std::string> tokenize(std::string_view text);

// The pieces of a text between white space (Unicode's, as Python's str.split()): for captions that
// are tokenized already.
std::vector<std::string> split_words(std::string_view text);

// Words with one space between.
std::string join_words(const std::vector<std::string>& words);

}  // namespace saccade
