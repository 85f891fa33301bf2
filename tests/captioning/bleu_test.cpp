// BLEU against scores computed by hand.
#include "captioning/scoring/metrics/bleu.h"

#include <cmath>

#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

Words words(const char* text) { return split_words(text); }

CountedCorpus counted(const std::vector<Words>& candidates,
                      const std::vector<std::vector<Words>>& references) {
  WordNumbers numbers;
  return count_corpus(candidates, references, numbers);
}

BleuCounts counts_of(const Words& candidate, const std::vector<Words>& references) {
  return count_bleu(counted({candidate}, {references}));
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9; }

}  // namespace

TEST_CASE("clipped counts and the closest reference") {
  // Papineni's own example: "the" is clipped at 2, its count in the first reference.
  const std::vector<Words> references = {words("the cat is on the mat"),
                                         words("there is a cat on the mat")};
  const BleuCounts counts = counts_of(words("the the the the the the the"), references);
  CHECK(counts.correct == std::array<std::int64_t, 4>{2, 0, 0, 0});
  CHECK(counts.guess == std::array<std::int64_t, 4>{7, 6, 5, 4});
  CHECK(counts.length == 7);
  CHECK(counts.reference_length == 7);
  // Lengths 6 and 4 are equally close to 5: the shorter one counts.
  const std::vector<Words> tied = {words("a b c d e f"), words("a b c d")};
  CHECK(counts_of(words("a b c d e"), tied).reference_length == 4);
  // An n-gram is clipped by its largest count in one reference, not by their sum.
  const std::vector<Words> twice = {words("a b"), words("a c")};
  CHECK(counts_of(words("a a"), twice).correct[0] == 1);
}

TEST_CASE("BLEU of short cases") {
  const std::vector<Words> reference = {words("a b c d e")};
  const BleuScores same = score_bleu(counts_of(reference[0], reference));
  for (const double score : same.bleu) CHECK((score < 1 && score > 1 - 1e-8));
  // Four of five words, in order: 1, 3/3, 2/2, 1/1 and the penalty exp(1 - 5/4).
  const BleuScores shorter = score_bleu(counts_of(words("a b c d"), reference));
  CHECK(near(shorter.no_bp[3], 1));
  CHECK(near(shorter.bleu[3], std::exp(-0.25)));
  // a b x d e: 4/5, 2/4, and none of 3 trigrams.
  const BleuScores gap = score_bleu(counts_of(words("a b x d e"), reference));
  CHECK(near(gap.bleu[0], 0.8));
  CHECK(near(gap.bleu[1], std::sqrt(0.8 * 0.5)));
  CHECK(near(gap.bleu[2], std::cbrt(0.4 * 1e-15 / 3)));
  // A single word has no bigram: that factor is 1e-15 / 1e-9.
  const BleuScores one = score_bleu(counts_of(words("a"), reference));
  CHECK(near(one.no_bp[1], 1e-3));
  const BleuScores empty = score_bleu(counts_of({}, reference));
  for (const double score : empty.bleu) CHECK(score == 0);
  const std::vector<Words> nothing = {{}};
  CHECK(score_bleu(counts_of({}, nothing)).bleu[0] == 0);
}

TEST_CASE("a corpus is scored from sums and not from means") {
  const std::vector<Words> candidates = {words("a b c d e f"), words("x y")};
  const std::vector<std::vector<Words>> references = {{words("a b c d e f")}, {words("p q r s")}};
  const CountedCorpus corpus = counted(candidates, references);
  const BleuScores both = score_bleu(count_bleu(corpus));
  CHECK(near(both.no_bp[0], 6.0 / 8));
  CHECK(near(both.bleu[0], 6.0 / 8 * std::exp(1 - 10.0 / 8)));
  CHECK(near(both.no_bp[3], std::pow(6.0 / 8 * 5 / 6 * 4 / 4 * 3 / 3, 0.25)));
  CHECK_THROWS_AS(counted({}, {}), DataError);
  CHECK_THROWS_AS(counted(candidates, std::vector<std::vector<Words>>(2)), DataError);
  CHECK_THROWS_AS(counted(candidates, std::vector<std::vector<Words>>(1)), DataError);
}

}  // namespace saccade
