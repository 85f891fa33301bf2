// The tokenizer of a published captioner, from the files of its folder.
#pragma once

#include <filesystem>

#include "captioning/model/vocabulary/published_tokens.h"

namespace saccade {

// Which tokens begin and end captions, as the model's config has them; -1: as the tokenizer says.
struct TokenRoles {
  Index pad = -1, bos = -1, eos = -1;
  Index count = 0;  // how many numbers the model's embedding has
};

// Reads tokenizer.json, or else vocab.txt (WordPiece), or vocab.json and merges.txt (byte-level
// pairs), with what tokenizer_config.json adds. Numbers beyond the tokenizer's are tokens without a
// text. Throws DataError where none of these files is there, one is damaged, or the tokenizer is of
// another kind.
PublishedTokens read_tokens(const std::filesystem::path& folder, const TokenRoles& roles);

}  // namespace saccade
