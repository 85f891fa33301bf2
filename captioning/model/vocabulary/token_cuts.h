// How published tokenizers cut a text before they look for tokens. Internal to
// published_tokens.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade {

struct TokenPlan;

// The words of a text for WordPiece: without control characters, in lower case and without accents
// where the plan says so, cut at white space, and around every punctuation mark and CJK character.
std::vector<std::string> word_piece_words(std::string_view text, const TokenPlan& plan);

// The parts of a text within which GPT-2 merges bytes: contractions, and runs of letters, of
// numbers and of other characters, each with a space before it. Together they are the text.
std::vector<std::string_view> byte_level_parts(std::string_view text);

// The printable characters that stand for bytes, and the bytes of such characters. Characters that
// stand for no byte are left out.
std::string printable_bytes(std::string_view bytes);
std::string bytes_of_printable(std::string_view text);

// A text in which every byte that is not UTF-8 became U+FFFD.
std::string valid_text(std::string_view bytes);

}  // namespace saccade
