// The tokens of a published captioner: how its tokenizer cuts a text into them, and makes text of
// them again. Tokens have the numbers that they were published with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// What a tokenizer is made of, and what a checkpoint keeps of it.
struct TokenPlan {
  // word_piece: words are cut into the longest pieces that are tokens, and `##` begins a piece that
  // continues a word (BERT). byte_level: the bytes of a text, as printable characters, are merged
  // pair by pair; U+0120 stands for the space that begins a word (GPT-2).
  bool byte_level = false;
  std::vector<std::string> tokens{};  // by number; empty where a number has no token
  std::vector<Index> specials{};      // numbers of tokens that texts are made without
  // Numbers of the tokens by which captions are padded, begin, end, and stand for what is unknown;
  // -1: there is none. Several may be the same.
  Index pad = -1, bos = -1, eos = -1, unk = -1;
  // Of word_piece: lower case; accents are left out; CJK characters are words; apostrophes are put
  // back into words where a text is made.
  bool lower = true, strips_accents = true, splits_han = true, cleans_up = false;
  // Of byte_level: pairs, the earliest to be merged first, `first second`; and whether texts begin
  // with a space.
  std::vector<std::string> merges{};
  bool prefix_space = false;
};

class PublishedTokens {
 public:
  // Throws DataError where numbers are beyond the tokens, a token is there twice, or a merge is no
  // pair of tokens that make one.
  explicit PublishedTokens(TokenPlan plan);
  ~PublishedTokens();
  PublishedTokens(PublishedTokens&&) noexcept;
  PublishedTokens& operator=(PublishedTokens&&) noexcept;

  const TokenPlan& plan() const { return plan_; }
  // A text in JSON from which of_text() makes the same tokens. Throws DataError on any other text.
  std::string text() const;
  static PublishedTokens of_text(const std::string& text);

  Index size() const { return static_cast<Index>(plan_.tokens.size()); }
  // The tokens of a text, without those that begin and end a caption.
  std::vector<Index> encode(std::string_view text) const;
  // The text of tokens, without the special ones where these are skipped.
  std::string decode(std::span<const Index> numbers, bool skip_specials = true) const;
  bool is_special(Index number) const { return special_[static_cast<std::size_t>(number)] != 0; }
  // Whether a token begins a new word; special ones do.
  bool begins_word(Index number) const;

 private:
  struct Lookup;
  void encode_plain(std::string_view text, std::vector<Index>& out) const;

  TokenPlan plan_;
  std::vector<char> special_;
  std::unique_ptr<Lookup> lookup_;
};

}  // namespace saccade
