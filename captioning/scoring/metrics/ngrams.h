// Captions as counted n-grams (n = 1..4) of numbered words, from which BLEU and CIDEr are computed.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "captioning/scoring/words/tokenizer.h"

namespace saccade {

inline constexpr std::size_t kGramOrders = 4;

// Word numbers, which start at 1; 0 beyond the end of a shorter n-gram.
struct Gram {
  std::array<std::uint32_t, kGramOrders> words{};
  auto operator<=>(const Gram&) const = default;
  std::size_t order() const;  // 1..4
};

struct GramCount {
  Gram gram;
  std::int32_t count = 0;
};

struct CountedCaption {
  std::int64_t words = 0;
  std::vector<GramCount> grams;  // sorted, each n-gram once
};

// Numbers for words. They are the same for all captions that are compared.
class WordNumbers {
 public:
  std::uint32_t number(std::string_view word);  // a new number for a word that is new
  // The number of a word; 0 for a word that is new.
  std::uint32_t known(std::string_view word) const {
    const auto found = numbers_.find(word);
    return found == numbers_.end() ? 0 : found->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>()(word);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

// A caption as word numbers. A token that holds white space (a fraction of the PTB tokenizer, "3
// 1/2") is several words, as for Python's str.split().
std::vector<std::uint32_t> number_words(std::span<const std::string> tokens, WordNumbers& numbers);

CountedCaption count_grams(std::span<const std::uint32_t> words);

// Calls both(a, b) for every n-gram that two sorted lists share. Elements need a member `gram`.
template <class A, class B, class Both>
void for_common_grams(const std::vector<A>& first, const std::vector<B>& second, Both both) {
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() && b != second.end()) {
    const auto order = a->gram <=> b->gram;
    if (order == 0) both(*a++, *b++);
    if (order < 0) ++a;
    if (order > 0) ++b;
  }
}

// The captions of a corpus: candidate i is compared with references i.
struct CountedCorpus {
  std::vector<CountedCaption> candidates;
  std::vector<std::vector<CountedCaption>> references;
  std::size_t images() const { return candidates.size(); }
};

// Throws DataError when there are not as many candidates as sets of references, when there are
// none, and when an image has no reference.
CountedCorpus count_corpus(std::span<const Words> candidates,
                           std::span<const std::vector<Words>> references, WordNumbers& numbers);

}  // namespace saccade
