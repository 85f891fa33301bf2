#include "captioning/metrics/rouge_l.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kBits = 64;

// Common subsequences of one text with others. Column j of the table of the dynamic programme goes
// up by 0 or 1 from row to row; the rows are the text's words, and a column is kept as one bit a
// row: 0 where it goes up.
class SubsequenceTable {
 public:
  explicit SubsequenceTable(const Words& text) : blocks_((text.size() + kBits - 1) / kBits) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t row = rows_.emplace(text[i], rows_.size()).first->second;
      places_.resize(rows_.size() * blocks_);
      places_[row * blocks_ + i / kBits] |= std::uint64_t{1} << i % kBits;
    }
  }

  Index common(const Words& other) const {
    std::vector<std::uint64_t> level(blocks_, ~std::uint64_t{0});
    for (const std::string& word : other) {
      const auto found = rows_.find(word);
      if (found != rows_.end()) advance(level, places_.data() + found->second * blocks_);
    }
    Index length = 0;
    for (const std::uint64_t block : level) length += std::popcount(~block);
    return length;
  }

 private:
  // The next column. In each run of level rows that ends below a rise, the first match becomes the
  // rise: the addition carries a match up to it. Rows behind the text's end stay level.
  void advance(std::vector<std::uint64_t>& level, const std::uint64_t* places) const {
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < blocks_; ++k) {
      const std::uint64_t matches = level[k] & places[k];
      const std::uint64_t sum = level[k] + matches;
      const std::uint64_t carried = sum + carry;
      carry = static_cast<std::uint64_t>(sum < matches || carried < sum);
      level[k] = carried | (level[k] & ~places[k]);
    }
  }

  std::size_t blocks_;
  std::unordered_map<std::string_view, std::size_t> rows_;
  std::vector<std::uint64_t> places_;  // [different words, blocks], a bit where the word stands
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
