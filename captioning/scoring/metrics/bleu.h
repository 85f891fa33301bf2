// BLEU-1..4 by the rules of the coco-caption evaluation with option "closest": the reference length
// is the closest one (the shorter of two equally close), the constants are its own, and the score
// of a corpus comes from summed statistics. Papineni et al., ACL 2002. Scores are fractions, not
// percent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "captioning/scoring/metrics/ngrams.h"

namespace saccade {

// What BLEU counts; index k is for (k+1)-grams.
struct BleuCounts {
  std::array<std::int64_t, kGramOrders> correct{};  // n-grams that are in a reference, clipped
  std::array<std::int64_t, kGramOrders> guess{};    // n-grams of the candidate
  std::int64_t length = 0;                          // words of the candidate
  std::int64_t reference_length = 0;  // length of the reference that is closest in length

  BleuCounts& operator+=(const BleuCounts& other);
};

struct BleuScores {
  std::array<double, kGramOrders> bleu{};   // BLEU-1..4
  std::array<double, kGramOrders> no_bp{};  // without the brevity penalty
  double ratio = 0;                         // candidate length / reference length
};

// The counts of one candidate against its references. There must be at least one reference.
BleuCounts count_bleu(const CountedCaption& candidate, std::span<const CountedCaption> references);

// The counts of all candidates of a corpus together.
BleuCounts count_bleu(const CountedCorpus& corpus);

// BLEU from counts; for a corpus, from the sum of its images' counts.
BleuScores score_bleu(const BleuCounts& counts);

// The scores with their names: Bleu_1 .. Bleu_4, Bleu_1_no_bp .. Bleu_4_no_bp.
std::vector<std::pair<std::string, double>> named_bleu(const BleuScores& scores);

}  // namespace saccade
