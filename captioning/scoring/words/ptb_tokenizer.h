// The words that caption metrics count: Penn Treebank tokens, as `PTBTokenizer -preserveLines
// -lowerCase` of Stanford CoreNLP 3.4.1 writes them, without punctuation, as the coco-caption
// evaluation removes it. The rules are in captioning/scoring/words/ptb/rules.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// The tokens of each caption, in lower case. The captions are the lines of one file, in this order:
// whether an abbreviation at the end of a line keeps its period depends on how the next line
// starts. A line end inside a caption counts as a space (see holds_line_end). Bytes that are not
// UTF-8 count as a character without meaning, which separates words.
std::vector<std::vector<std::string>> ptb_tokenize(std::span<const std::string> captions);

// The tokens that are not punctuation. Brackets (-lrb- and the like) stay, and so do fractions with
// a no-break space inside ("3\u00A01/2"), which split_words would cut.
std::vector<std::vector<std::string>> ptb_words(std::span<const std::string> captions);

// The words by which captions are scored: ptb_words of what plain_caption makes of them, so that
// entities and characters of format count as they do in training. The original knows some entities
// only.
std::vector<std::vector<std::string>> scored_words(std::span<const std::string> captions);

// Whether a caption holds a line end (LF, VT, FF, CR, U+0085, U+2028, U+2029). The original takes
// what follows it for another caption.
bool holds_line_end(std::string_view caption);

}  // namespace saccade
