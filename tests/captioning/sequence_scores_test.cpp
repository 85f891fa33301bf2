#include "captioning/study/evaluation/sequence_scores.h"

#include <cmath>

#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Words = std::vector<std::string>;

// A result whose words have their largest weights at these places of four.
DecodedCaption pointing_at(const std::vector<Index>& places) {
  DecodedCaption out;
  for (const Index place : places) {
    DecodedWord& word = out.words.emplace_back();
    word.map.weights.assign(4, 0.1F);
    word.map.weights.at(static_cast<std::size_t>(place)) = 0.7F;
  }
  return out;
}

double score(const SequenceScores& scores, const std::string& name) {
  for (const ImageStatistics& metric : scores.metrics())
    if (metric.metric == name) return metric.whole();
  return -1;
}

const SourceText kThree{.tokens = {"a", "b", "c"}, .origins = {{2}, {1}, {0}}};
const Words kTurned = {"c", "b", "a"};

TEST_CASE("a result is right as a whole, or has some right words at their places") {
  SequenceScores scores(true);
  scores.add(kThree, kTurned, kTurned, pointing_at({2, 1, 0}));
  CHECK(score(scores, "exact_match") == 1);
  CHECK(score(scores, "token_accuracy") == 1);
  CHECK(score(scores, "alignment_accuracy") == 1);
  scores.add(kThree, kTurned, Words{"c", "a", "a"}, pointing_at({2, 1, 3}));
  CHECK(score(scores, "exact_match") == 0.5);
  CHECK(score(scores, "token_accuracy") == Approx((1 + 2 / 3.0) / 2));
  // Of the five right words, the last one of the second result is read from elsewhere.
  CHECK(score(scores, "alignment_accuracy") == Approx(4 / 5.0));
}

TEST_CASE("words that are missing or too many count against a result") {
  SequenceScores scores(true);
  scores.add(kThree, kTurned, Words{"c", "b"}, pointing_at({2, 1}));
  CHECK(score(scores, "exact_match") == 0);
  CHECK(score(scores, "token_accuracy") == Approx(2 / 3.0));
  SequenceScores longer(true);
  longer.add(kThree, kTurned, Words{"c", "b", "a", "a"}, pointing_at({2, 1, 0, 0}));
  CHECK(score(longer, "exact_match") == 0);
  CHECK(score(longer, "token_accuracy") == 0.75);
}

TEST_CASE("a word may come from any of several tokens, and a model without maps has no alignment") {
  const SourceText twice{.tokens = {"b", "a", "b"}, .origins = {{1}, {0, 2}, {0, 2}}};
  const Words sorted = {"a", "b", "b"};
  SequenceScores scores(true), without(false);
  scores.add(twice, sorted, sorted, pointing_at({1, 2, 2}));
  CHECK(score(scores, "alignment_accuracy") == 1);
  without.add(twice, sorted, sorted, pointing_at({1, 2, 2}));
  CHECK(score(without, "exact_match") == 1);
  CHECK(score(without, "alignment_accuracy") == -1);
  SequenceScores wrong(true);
  wrong.add(twice, sorted, Words{"c"}, pointing_at({1}));
  CHECK(std::isnan(score(wrong, "alignment_accuracy")));
}

TEST_CASE("scores are told apart by the length of the text") {
  SequenceScores scores(true);
  const SourceText one{.tokens = {"a"}, .origins = {{0}}};
  scores.add(kThree, kTurned, kTurned, pointing_at({2, 1, 0}));
  scores.add(one, Words{"a"}, Words{"b"}, pointing_at({0}));
  scores.add(kThree, kTurned, Words{"c", "b", "b"}, pointing_at({2, 1, 0}));
  const std::vector<LengthScores> lengths = scores.by_length();
  REQUIRE(lengths.size() == 2);
  CHECK(lengths[0].tokens == 1);
  CHECK(lengths[0].texts == 1);
  CHECK(lengths[0].exact_match == 0);
  CHECK(lengths[1].tokens == 3);
  CHECK(lengths[1].texts == 2);
  CHECK(lengths[1].exact_match == 0.5);
  CHECK(lengths[1].token_accuracy == Approx(5 / 6.0));
  CHECK_THROWS_AS(scores.add(kThree, kTurned, kTurned, pointing_at({2, 1})), ShapeError);
}

}  // namespace
}  // namespace saccade::test
