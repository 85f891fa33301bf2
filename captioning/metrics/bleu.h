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

namespace saccade {

using Words = std::vector<std::string>;

// What BLEU counts; index k is for (k+1)-grams.
struct BleuCounts {
  std::array<std::int64_t, 4> correct{};  // n-grams found in a reference, clipped
  std::array<std::int64_t, 4> guess{};    // n-grams of the candidate
  std::int64_t length = 0;                // words of the candidate
  std::int64_t reference_length = 0;      // of the reference closest in length

  BleuCounts& operator+=(const BleuCounts& other);
};

struct BleuScores {
  std::array<double, 4> bleu{};   // BLEU-1..4
  std::array<double, 4> no_bp{};  // without the brevity penalty
  double ratio = 0;               // candidate length / reference length
};

// The counts of one candidate. Throws DataError when there is no reference.
BleuCounts count_bleu(const Words& candidate, std::span<const Words> references);

// BLEU of counts; of a corpus, from the sum of its images' counts.
BleuScores score_bleu(const BleuCounts& counts);

struct CorpusBleu {
  BleuScores corpus;
  BleuCounts counts;
  std::vector<BleuScores> images;  // in the order of the candidates
};

// BLEU of candidate i against references i. Throws DataError when their numbers differ or are 0.
CorpusBleu corpus_bleu(std::span<const Words> candidates,
                       std::span<const std::vector<Words>> references);

// The scores under their names: Bleu_1 .. Bleu_4, Bleu_1_no_bp .. Bleu_4_no_bp.
std::vector<std::pair<std::string, double>> named_bleu(const BleuScores& scores);

}  // namespace saccade
