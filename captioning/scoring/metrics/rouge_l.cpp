#include "captioning/scoring/metrics/rouge_l.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kBits = 64;

// Common subsequences of one text with others. In the table of the dynamic programme, column j
// rises by 0 or 1 from row to row. The rows are the text's words, and a column is kept as one bit
// per row, which is 0 where it rises.
class SubsequenceTable {
 public:
  explicit SubsequenceTable(const Words& text) : blocks_((text.size() + kBits - 1) / kBits) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::vector<Places>& of_word = places_[text[i]];
      if (of_word.empty() || of_word.back().block != i / kBits) of_word.push_back({i / kBits, 0});
      of_word.back().bits |= std::uint64_t{1} << i % kBits;
    }
  }

  Index common(const Words& other) const {
    std::vector<std::uint64_t> level(blocks_, ~std::uint64_t{0});
    for (const std::string& word : other) {
      const auto found = places_.find(word);
      if (found != places_.end()) advance(level, found->second);
    }
    Index length = 0;
    for (const std::uint64_t block : level) length += std::popcount(~block);
    return length;
  }

 private:
  // The places of a word as bits, in one block of 64 rows. Blocks without the word are left out,
  // because a table of all words and all blocks would grow with the square of the text.
  struct Places {
    std::size_t block;
    std::uint64_t bits;
  };

  // Computes the next column. In each run of level rows that ends below a rise, the first match
  // becomes the rise, because the addition carries a match up to it. Rows behind the text's end
  // stay level.
  static void advance(std::vector<std::uint64_t>& level, const std::vector<Places>& places) {
    std::uint64_t carry = 0;
    std::size_t k = 0;
    for (const auto& [block, bits] : places) {
      for (; carry != 0 && k < block; ++k) carry = add(level[k], 0, carry);
      carry = add(level[block], bits, carry);
      k = block + 1;
    }
    for (; carry != 0 && k < level.size(); ++k) carry = add(level[k], 0, carry);
  }

  // The next column in one block. `carry` goes on into the block above.
  static std::uint64_t add(std::uint64_t& level, std::uint64_t places, std::uint64_t carry) {
    const std::uint64_t matches = level & places;
    const std::uint64_t sum = level + matches;
    const std::uint64_t carried = sum + carry;
    level = carried | (level & ~places);
    return static_cast<std::uint64_t>(sum < matches || carried < sum);
  }

  std::size_t blocks_;
  std::unordered_map<std::string_view, std::vector<Places>> places_;
};

const Words& or_empty_word(const Words& words) {
  static const Words kEmptyWord = {""};
  return words.empty() ? kEmptyWord : words;
}

}  // namespace

Index common_subsequence(const Words& a, const Words& b) { return SubsequenceTable(a).common(b); }

double rouge_l(const Words& candidate, std::span<const Words> references) {
  if (references.empty()) throw DataError("ROUGE-L: a candidate has no reference");
  constexpr double kBeta = 1.2;
  const Words& ours = or_empty_word(candidate);
  const SubsequenceTable table(ours);
  double precision = 0, recall = 0;
  for (const Words& reference : references) {
    const Words& theirs = or_empty_word(reference);
    const auto common = static_cast<double>(table.common(theirs));
    precision = std::max(precision, common / static_cast<double>(ours.size()));
    recall = std::max(recall, common / static_cast<double>(theirs.size()));
  }
  if (precision == 0 || recall == 0) return 0;
  return (1 + kBeta * kBeta) * precision * recall / (recall + kBeta * kBeta * precision);
}

}  // namespace saccade
