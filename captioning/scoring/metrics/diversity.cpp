#include "captioning/scoring/metrics/diversity.h"

#include <algorithm>
#include <cmath>

#include "captioning/scoring/metrics/bleu.h"
#include "captioning/scoring/metrics/eigenvalues.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

double distinct_share(std::span<const CountedCaption> set, std::size_t order) {
  std::vector<Gram> grams;
  std::int64_t words = 0;
  for (const CountedCaption& caption : set) {
    words += caption.words;
    for (const GramCount& entry : caption.grams) {
      if (entry.gram.order() == order) grams.push_back(entry.gram);
    }
  }
  if (words == 0) return 0;
  std::sort(grams.begin(), grams.end());
  const auto different = std::unique(grams.begin(), grams.end()) - grams.begin();
  return static_cast<double>(different) / static_cast<double>(words);
}

double mutual_bleu4(std::span<const std::vector<CountedCaption>> sets) {
  const std::size_t size = sets.empty() ? 0 : sets[0].size();
  for (const auto& set : sets) {
    SACCADE_CHECK(set.size() == size && size >= 2,
                  "[mBLEU] sets have one size, at least 2; got sizes ", size, " and ", set.size());
  }
  if (sets.empty()) return 0;
  constexpr Index kBlock = 16;  // sets per task
  std::vector<std::vector<BleuCounts>> counts(sets.size(), std::vector<BleuCounts>(size));
  parallel::for_blocks(static_cast<Index>(sets.size()), kBlock, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      // The candidate of a round goes to the front, so that the others stand together.
      std::vector<CountedCaption> set = sets[i];
      for (std::size_t k = 0; k < size; ++k) {
        std::swap(set[0], set[k]);
        counts[i][k] = count_bleu(set[0], std::span(set).subspan(1));
      }
    }
  });
  double mean = 0;
  for (std::size_t k = 0; k < size; ++k) {
    BleuCounts sum;
    for (const auto& set : counts) sum += set[k];
    mean += score_bleu(sum).bleu[3] / static_cast<double>(size);
  }
  return mean;
}

double self_cider(std::span<const CiderVector> set) {
  constexpr double kRounding = 1e-12;  // eigenvalues below this share of the largest are zeros
  const std::size_t size = set.size();
  if (size < 2) return 0;
  std::vector<double> similarities(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      similarities[a * size + b] = score_cider(set[a], set.subspan(b, 1)).cider;
    }
  }
  const std::vector<double> values = symmetric_eigenvalues(similarities, static_cast<Index>(size));
  const double largest = values.back();
  if (!(largest > 0)) return 0;
  double roots = 0;
  for (const double value : values) {
    if (value > kRounding * largest) roots += std::sqrt(value);
  }
  return std::log(roots / std::sqrt(largest)) / std::log(static_cast<double>(size));
}

}  // namespace saccade
