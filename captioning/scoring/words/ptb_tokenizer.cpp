#include "captioning/scoring/words/ptb_tokenizer.h"

#include <algorithm>
#include <array>

#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/ptb/rules.h"
#include "captioning/scoring/words/ptb/spelling.h"
#include "captioning/scoring/words/ptb/symbols.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

using Tokens = std::vector<std::string>;

// The tokens that are left out as punctuation. Brackets and repeated marks are not among them.
constexpr std::array<std::string_view, 13> kPunctuation = {"''", "'", "``", "`",  ".",   "?", "!",
                                                           ",",  ":", "-",  "--", "...", ";"};

// The captions from `begin` to `end` as lines, followed by the first later caption that is not
// blank, because a rule may read it.
ptb::Text join(std::span<const std::string> captions, std::size_t begin, std::size_t end) {
  ptb::Text text;
  bool seen = false;
  for (std::size_t i = begin; i < captions.size() && !seen; ++i) {
    const std::size_t start = text.symbols.size();
    ptb::append_line(text, captions[i]);
    seen = i >= end && !ptb::is_blank(std::string_view(text.symbols).substr(start));
    if (i + 1 < captions.size()) ptb::append_line_end(text);
  }
  return text;
}

// The tokens of the line that starts at `at`. Moves `at` behind the line's end.
Tokens read_line(const ptb::Text& text, std::size_t& at, ptb::DeadEnds& dead_ends) {
  Tokens tokens;
  while (at < text.symbols.size() && text.symbols[at] != '\n') {
    const ptb::Match match = ptb::match(text.symbols, at, dead_ends);
    if (match.kind != ptb::Kind::kNothing) {
      const std::u16string_view units = text.units;
      tokens.push_back(ptb::spell(match.kind, units.substr(at, match.length)));
    }
    at += match.advance;
  }
  ++at;
  return tokens;
}

}  // namespace

std::vector<std::vector<std::string>> ptb_tokenize(std::span<const std::string> captions) {
  constexpr Index kBlock = 256;
  std::vector<Tokens> out(captions.size());
  parallel::for_blocks(static_cast<Index>(captions.size()), kBlock, [&](Index begin, Index end) {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    const ptb::Text text = join(captions, first, last);
    ptb::DeadEnds dead_ends;
    std::size_t at = 0;
    for (std::size_t i = first; i < last; ++i) out[i] = read_line(text, at, dead_ends);
  });
  return out;
}

std::vector<std::vector<std::string>> ptb_words(std::span<const std::string> captions) {
  std::vector<Tokens> out = ptb_tokenize(captions);
  for (Tokens& tokens : out) {
    std::erase_if(tokens, [](const std::string& token) {
      return std::find(kPunctuation.begin(), kPunctuation.end(), token) != kPunctuation.end();
    });
  }
  return out;
}

std::vector<std::vector<std::string>> scored_words(std::span<const std::string> captions) {
  std::vector<std::string> plain(captions.size());
  std::transform(captions.begin(), captions.end(), plain.begin(),
                 [](const std::string& caption) { return plain_caption(caption).text; });
  return ptb_words(plain);
}

bool holds_line_end(std::string_view caption) {
  const std::vector<unicode::CodePoint> points = unicode::decode(caption);
  return std::any_of(points.begin(), points.end(), ptb::ends_line);
}

}  // namespace saccade
