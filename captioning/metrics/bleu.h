// BLEU-1..4 by the rules of the coco-caption evaluation, option "closest": closest reference
// length (a tie goes to the shorter), its constants, corpus scores from summed statistics.
// Papineni et al., ACL 2002. Scores are fractions, not percent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "captioning/metrics/ngrams.h"

namespace saccade {

// What BLEU counts; index k is for (k+1)-grams.
struct BleuCounts {
  std::array<std::int64_t, kGramOrders> correct{};  // n-grams found in a reference, clipped
  std::array<std::int64_t, kGramOrders> guess{};    // n-grams of the candidate
  std::int64_t length = 0;                          // words of the candidate
  std::int64_t reference_length = 0;                // of the reference closest in length

  BleuCounts& operator+=(const BleuCounts& other);
};

struct BleuScores {
  std::array<double, kGramOrders> bleu{};   // BLEU-1..4
  std::array<double, kGramOrders> no_bp{};  // without the brevity penalty
  double ratio = 0;                         // candidate length / reference length
};

// The counts of one candidate against its references, of which there must be one.
BleuCounts count_bleu(const CountedCaption& candidate, std::span<const CountedCaption> references);

// The counts of all candidates of a corpus together.
BleuCounts count_bleu(const CountedCorpus& corpus);

// BLEU of counts; of a corpus, from the sum of its images' counts.
BleuScores score_bleu(const BleuCounts& counts);

// The scores under their names: Bleu_1 .. Bleu_4, Bleu_1_no_bp .. Bleu_4_no_bp.
std::vector<std::pair<std::string, double>> named_bleu(const BleuScores& scores);

}  // namespace saccade
