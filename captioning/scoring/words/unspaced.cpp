#include "captioning/scoring/words/unspaced.h"

#include <algorithm>
#include <array>

#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

struct Range {
  unicode::CodePoint first, last;
};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, unicode::CodePoint point) {
  return std::any_of(ranges.begin(), ranges.end(), [=](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

// One character of these is a syllable or a word.
constexpr std::array<Range, 5> kSyllables = {{{0x3040, 0x30FF},      // Hiragana, Katakana
                                              {0x3400, 0x4DBF},      // Han
                                              {0x4E00, 0x9FFF},      // Han
                                              {0xF900, 0xFAFF},      // Han
                                              {0x20000, 0x3134F}}};  // Han
constexpr std::array<Range, 4> kLetters = {{{0x0E00, 0x0E7F},        // Thai
                                            {0x0E80, 0x0EFF},        // Lao
                                            {0x1000, 0x109F},        // Burmese
                                            {0x1780, 0x17FF}}};      // Khmer

}  // namespace

bool lacks_spaces(std::string_view word) {
  constexpr Index kLongestInSyllables = 6, kLongestInLetters = 16;
  Index syllables = 0, letters = 0;
  for (const unicode::CodePoint point : unicode::decode(word)) {
    syllables += in(kSyllables, point) ? 1 : 0;
    letters += in(kLetters, point) ? 1 : 0;
  }
  return syllables > kLongestInSyllables || letters > kLongestInLetters;
}

void UnspacedCaptions::add(const std::string& caption) {
  ++captions_;
  // Characters of these scripts have three bytes or more in UTF-8.
  const auto is_long = [](char c) { return static_cast<unsigned char>(c) >= 0xE0; };
  if (std::none_of(caption.begin(), caption.end(), is_long)) return;
  const std::vector<std::string> words = tokenize(caption);
  unspaced_ += std::any_of(words.begin(), words.end(), lacks_spaces) ? 1 : 0;
}

std::string UnspacedCaptions::warning() const {
  if (unspaced_ == 0 || 10 * unspaced_ < captions_) return "";
  return str(
      unspaced_, " of ", captions_,
      " captions are in a script without spaces between words, so that whole sentences count "
      "as single words; separate the words by spaces (word segmenters do it), or all "
      "characters");
}

}  // namespace saccade
