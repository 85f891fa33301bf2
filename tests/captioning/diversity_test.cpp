// The diversity of sets of captions, counted by hand.
#include "captioning/scoring/metrics/diversity.h"

#include "captioning/scoring/metrics/bleu.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"

namespace saccade::test::diversity_test {
namespace {

using Set = std::vector<CountedCaption>;

Set counted(const std::vector<std::string>& captions, WordNumbers& numbers) {
  Set out;
  for (const std::string& caption : captions)
    out.push_back(count_grams(number_words(split_words(caption), numbers)));
  return out;
}

Set counted(const std::vector<std::string>& captions) {
  WordNumbers numbers;
  return counted(captions, numbers);
}

// Every n-gram has the weight of a word that nobody else ever used.
double self_cider_of(const std::vector<std::string>& captions) {
  const DocumentFrequencies frequencies(100);
  std::vector<CiderVector> vectors;
  for (const CountedCaption& caption : counted(captions))
    vectors.push_back(cider_vector(caption, frequencies));
  return self_cider(vectors);
}

bool near(double got, double wanted) { return std::abs(got - wanted) <= 1e-9; }

TEST_CASE("distinct n-grams over words") {
  // a dog runs: 3 words, 2 bigrams; the cat runs off: 4 words of which 3 are new, 3 bigrams.
  const Set two = counted({"a dog runs", "the cat runs off"});
  CHECK(distinct_share(two, 1) == 6.0 / 7);
  CHECK(distinct_share(two, 2) == 5.0 / 7);
  const Set equal = counted({"a red kite", "a red kite", "a red kite", "a red kite"});
  CHECK(distinct_share(equal, 1) == 3.0 / 12);
  CHECK(distinct_share(equal, 2) == 2.0 / 12);
  CHECK(distinct_share(counted({"so so so so"}), 1) == 0.25);
  CHECK(distinct_share(counted({"", ""}), 1) == 0);
  CHECK(distinct_share({}, 2) == 0);
}

TEST_CASE("equal captions agree, and captions of other words do not") {
  const std::vector<Set> equal = {counted({"a red kite flies", "a red kite flies"}),
                                  counted({"two boats at sea", "two boats at sea"})};
  CHECK(near(mutual_bleu4(equal), 1));
  const std::vector<Set> apart = {counted({"a red kite flies", "two boats at sea"})};
  CHECK(mutual_bleu4(apart) < 1e-3);  // coco-caption's constants keep it off zero
}

TEST_CASE("each round of mBLEU is a corpus of its own") {
  WordNumbers numbers;
  const std::vector<Set> sets = {
      counted({"a b c d e", "a b c d f", "p q r s"}, numbers),
      counted({"k l m n o", "k l m n", "t u v w x"}, numbers),
  };
  double mean = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    BleuCounts sum;
    for (const Set& set : sets) {
      Set others = set;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      sum += count_bleu(set[k], others);
    }
    mean += score_bleu(sum).bleu[3] / 3;
  }
  CHECK(near(mutual_bleu4(sets), mean));
  CHECK(mean > 0.3);
  CHECK(mutual_bleu4({}) == 0);
  const std::vector<Set> single = {counted({"a b"})};
  CHECK_THROWS_AS(mutual_bleu4(single), ShapeError);
  const std::vector<Set> uneven = {sets[0], counted({"a b", "c d"})};
  CHECK_THROWS_AS(mutual_bleu4(uneven), ShapeError);
}

TEST_CASE("mBLEU has the same bits for any number of threads") {
  std::vector<Set> sets;
  for (int i = 0; i < 50; ++i) {
    const std::string word = std::string("w") + std::to_string(i % 7);
    sets.push_back(counted({word + " b c d e", "a b c d e f", "a " + word + " c d e"}));
  }
  same_for_threads([&] { return mutual_bleu4(sets); });
}

TEST_CASE("self-CIDEr goes from 0 for equal captions to 1 for captions with nothing in common") {
  CHECK(self_cider_of({"a red kite flies", "a red kite flies", "a red kite flies"}) == 0);
  CHECK(near(self_cider_of({"a red kite flies", "two boats at sea", "men who dig wells"}), 1));
  // Four captions are two pairs of equal ones: eigenvalues 2, 2, 0, 0 and r = 1/2.
  CHECK(near(self_cider_of(
                 {"a red kite flies", "two boats at sea", "a red kite flies", "two boats at sea"}),
             0.5));
}

TEST_CASE("self-CIDEr of two captions by hand") {
  // All words have equal weight: the cosines are 3/4 of words, 2/3 of bigrams, 1/2 of trigrams and
  // 0 of 4-grams. Their mean s = 23/48 gives the eigenvalues 1 - s and 1 + s.
  const double s = (3.0 / 4 + 2.0 / 3 + 1.0 / 2) / 4;
  const double r = std::sqrt(1 + s) / (std::sqrt(1 + s) + std::sqrt(1 - s));
  CHECK(near(self_cider_of({"a b c d", "a b c e"}), -std::log2(r)));
}

TEST_CASE("self-CIDEr of sets without weight") {
  CHECK(self_cider({}) == 0);
  CHECK(self_cider_of({"one alone"}) == 0);
  CHECK(self_cider_of({"", ""}) == 0);
  // A corpus of one image gives no n-gram any weight.
  const DocumentFrequencies nothing(1);
  std::vector<CiderVector> vectors;
  for (const CountedCaption& caption : counted({"a b", "c d"}))
    vectors.push_back(cider_vector(caption, nothing));
  CHECK(self_cider(vectors) == 0);
}

}  // namespace
}  // namespace saccade::test::diversity_test
