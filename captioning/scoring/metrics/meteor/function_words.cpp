#include "captioning/scoring/metrics/meteor/function_words.h"

#include <algorithm>
#include <array>

namespace saccade::meteor {

namespace {

// METEOR 1.5's list for English (Denkowski and Lavie, WMT 2014: words above a relative frequency of
// 10^-3 in a large corpus), punctuation included, in byte order. Scores depend on every entry.
constexpr std::array<std::string_view, 93> kWords = {
    "\"",    "$",     "'",    "'s",   "'t",   "(",     ")",     ",",     "-",     "--",
    "-lrb-", "-rrb-", ".",    ":",    "?",    "a",     "about", "after", "all",   "also",
    "an",    "and",   "are",  "as",   "at",   "be",    "been",  "but",   "by",    "can",
    "could", "first", "for",  "from", "had",  "has",   "have",  "he",    "her",   "his",
    "i",     "if",    "in",   "into", "is",   "it",    "its",   "last",  "more",  "new",
    "no",    "not",   "of",   "on",   "one",  "or",    "other", "out",   "over",  "people",
    "s",     "said",  "she",  "so",   "some", "than",  "that",  "the",   "their", "there",
    "they",  "this",  "time", "to",   "two",  "up",    "was",   "we",    "were",  "what",
    "when",  "which", "who",  "will", "with", "would", "year",  "years", "you",   "—",
    "’",     "“",     "”"};

}  // namespace

bool is_function_word(std::string_view word) {
  return std::binary_search(kWords.begin(), kWords.end(), word);
}

std::span<const std::string_view> function_words() { return kWords; }

}  // namespace saccade::meteor
