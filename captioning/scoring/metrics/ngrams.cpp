#include "captioning/scoring/metrics/ngrams.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

std::size_t Gram::order() const {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), 0U) - words.begin());
}

std::uint32_t WordNumbers::number(std::string_view word) {
  const auto found = numbers_.find(word);
  if (found != numbers_.end()) return found->second;
  const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
  return numbers_.emplace(word, next).first->second;
}

std::vector<std::uint32_t> number_words(std::span<const std::string> tokens, WordNumbers& numbers) {
  std::vector<std::uint32_t> out;
  out.reserve(tokens.size());
  const auto is_ascii_word = [](char c) { return c > ' ' && c < 0x7F; };
  for (const std::string& token : tokens) {
    if (std::all_of(token.begin(), token.end(), is_ascii_word)) {
      if (!token.empty()) out.push_back(numbers.number(token));
    } else {
      for (const std::string& word : split_words(token)) out.push_back(numbers.number(word));
    }
  }
  return out;
}

CountedCaption count_grams(std::span<const std::uint32_t> words) {
  CountedCaption out;
  out.words = static_cast<std::int64_t>(words.size());
  out.grams.reserve(words.size() * kGramOrders);
  for (std::size_t i = 0; i < words.size(); ++i) {
    Gram gram;
    for (std::size_t n = 0; n < kGramOrders && i + n < words.size(); ++n) {
      gram.words[n] = words[i + n];
      out.grams.push_back({gram, 1});
    }
  }
  std::sort(out.grams.begin(), out.grams.end(),
            [](const GramCount& a, const GramCount& b) { return a.gram < b.gram; });
  std::size_t kept = 0;
  for (const GramCount& next : out.grams) {
    if (kept > 0 && out.grams[kept - 1].gram == next.gram) {
      out.grams[kept - 1].count += next.count;
    } else {
      out.grams[kept++] = next;
    }
  }
  out.grams.resize(kept);
  return out;
}

CountedCorpus count_corpus(std::span<const Words> candidates,
                           std::span<const std::vector<Words>> references, WordNumbers& numbers) {
  if (candidates.size() != references.size() || candidates.empty()) {
    throw DataError(str("metrics: got ", candidates.size(), " candidates and references for ",
                        references.size(), " images; needs as many of both, at least one"));
  }
  // Numbering goes once through all captions in order; counting is the larger part and runs in
  // parallel.
  struct Numbered {
    std::vector<std::uint32_t> candidate;
    std::vector<std::vector<std::uint32_t>> references;
  };
  std::vector<Numbered> numbered(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (references[i].empty()) throw DataError(str("metrics: image ", i, " has no reference"));
    numbered[i].candidate = number_words(candidates[i], numbers);
    for (const Words& words : references[i]) {
      numbered[i].references.push_back(number_words(words, numbers));
    }
  }
  CountedCorpus out;
  out.candidates.resize(candidates.size());
  out.references.resize(candidates.size());
  constexpr Index kBlock = 64;
  parallel::for_blocks(static_cast<Index>(candidates.size()), kBlock, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      out.candidates[i] = count_grams(numbered[i].candidate);
      for (const auto& words : numbered[i].references) {
        out.references[i].push_back(count_grams(words));
      }
    }
  });
  return out;
}

}  // namespace saccade
