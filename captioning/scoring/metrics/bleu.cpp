#include "captioning/scoring/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"

namespace saccade {

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (std::size_t k = 0; k < kGramOrders; ++k) {
    correct[k] += other.correct[k];
    guess[k] += other.guess[k];
  }
  length += other.length;
  reference_length += other.reference_length;
  return *this;
}

BleuCounts count_bleu(const CountedCaption& candidate, std::span<const CountedCaption> references) {
  SACCADE_ASSERT(!references.empty(), "BLEU without a reference");
  BleuCounts out;
  out.length = candidate.words;
  for (std::size_t k = 0; k < kGramOrders; ++k) {
    out.guess[k] = std::max<std::int64_t>(0, out.length - static_cast<std::int64_t>(k));
  }
  std::vector<std::int32_t> most(candidate.grams.size(),
                                 0);  // of each n-gram, in any one reference
  std::pair<std::int64_t, std::int64_t> closest = {INT64_MAX, 0};  // distance, length
  for (const CountedCaption& reference : references) {
    closest = std::min(closest, {std::abs(reference.words - out.length), reference.words});
    for_common_grams(candidate.grams, reference.grams,
                     [&](const GramCount& mine, const GramCount& theirs) {
                       auto& highest = most[static_cast<std::size_t>(&mine - &candidate.grams[0])];
                       highest = std::max(highest, theirs.count);
                     });
  }
  out.reference_length = closest.second;
  for (std::size_t i = 0; i < most.size(); ++i) {
    const GramCount& mine = candidate.grams[i];
    out.correct[mine.gram.order() - 1] += std::min(mine.count, most[i]);
  }
  return out;
}

BleuCounts count_bleu(const CountedCorpus& corpus) {
  BleuCounts sum;
  for (std::size_t i = 0; i < corpus.images(); ++i) {
    sum += count_bleu(corpus.candidates[i], corpus.references[i]);
  }
  return sum;
}

BleuScores score_bleu(const BleuCounts& counts) {
  constexpr double kTiny = 1e-15, kSmall = 1e-9;  // of the reference implementation, part of scores
  BleuScores out;
  double product = 1;
  for (std::size_t k = 0; k < kGramOrders; ++k) {
    product *= (static_cast<double>(counts.correct[k]) + kTiny) /
               (static_cast<double>(counts.guess[k]) + kSmall);
    out.no_bp[k] = std::pow(product, 1.0 / static_cast<double>(k + 1));
  }
  out.ratio = (static_cast<double>(counts.length) + kTiny) /
              (static_cast<double>(counts.reference_length) + kSmall);
  const double penalty = out.ratio < 1 ? std::exp(1 - 1 / out.ratio) : 1;
  for (std::size_t k = 0; k < kGramOrders; ++k) out.bleu[k] = out.no_bp[k] * penalty;
  return out;
}

std::vector<std::pair<std::string, double>> named_bleu(const BleuScores& scores) {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t k = 0; k < kGramOrders; ++k) {
    out.emplace_back(str("Bleu_", k + 1), scores.bleu[k]);
  }
  for (std::size_t k = 0; k < kGramOrders; ++k) {
    out.emplace_back(str("Bleu_", k + 1, "_no_bp"), scores.no_bp[k]);
  }
  return out;
}

}  // namespace saccade
