// One deterministic automaton for a list of patterns. It finds which of them matches the longest
// piece of a text, and is built from the positions of the patterns' symbols (Aho, Lam, Sethi,
// Ullman, Compilers, 3.9).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "captioning/scoring/words/ptb/pattern.h"

namespace saccade::ptb {

// The (state, place) pairs from which a long lookahead found nothing. No later token of the text
// repeats such a lookahead, so the time stays linear (Reps, "Maximal-munch" tokenization in linear
// time, 1998).
class DeadEnds {
 public:
  bool has(std::uint32_t state, std::size_t place) const {
    return pairs_.contains(key(state, place));
  }
  void add(std::uint32_t state, std::size_t place) { pairs_.insert(key(state, place)); }

 private:
  static std::uint64_t key(std::uint32_t state, std::size_t place) { return place << 16U | state; }
  std::unordered_set<std::uint64_t> pairs_;
};

class Automaton {
 public:
  static constexpr int kNone = -1;
  struct Longest {
    int pattern = kNone;     // the first of the patterns that match most
    std::size_t length = 0;  // symbols
  };

  explicit Automaton(std::span<const PatternPtr> patterns);

  // The longest match that starts at text[start].
  Longest longest(std::string_view text, std::size_t start, DeadEnds& dead_ends) const;
  // The lengths of a text's beginnings that some pattern matches, in ascending order.
  std::vector<std::size_t> accepted_lengths(std::string_view text) const;
  // Whether a pattern matches exactly this text.
  bool accepts(std::string_view text) const;

 private:
  static constexpr std::uint16_t kDead = 0, kStart = 1;
  std::uint16_t next(std::uint16_t state, char symbol) const {
    return next_[state * width_ + column_[static_cast<unsigned char>(symbol)]];
  }

  std::array<std::uint8_t, 256>
      column_{};                     // of a symbol; symbols that no pattern distinguishes share
  std::size_t width_ = 0;            // columns
  std::vector<std::uint16_t> next_;  // [states, width]
  std::vector<int> accepted_;        // by state, the first pattern that ends in it
};

}  // namespace saccade::ptb
