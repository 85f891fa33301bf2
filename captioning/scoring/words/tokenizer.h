// The words of a caption, for training and for scoring: lower case, without punctuation. Words are
// runs of letters, digits and combining marks. Everything else separates words, hyphens and
// apostrophes too ("tri-colored" -> tri colored, "man's" -> man s), as in Karpathy's tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade {

using Words = std::vector<std::string>;

// The words of a text (UTF-8, composed to NFC). Bytes that are not UTF-8 separate words.
std::vector<std::string> tokenize(std::string_view text);

// The pieces of a text between white space (Unicode's, as for Python's str.split()), for captions
// that are tokenized already.
std::vector<std::string> split_words(std::string_view text);

// The words, with one space between them.
std::string join_words(const std::vector<std::string>& words);

}  // namespace saccade
