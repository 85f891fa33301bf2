// What narrows the words of a caption: rules for every search, and the most probable words when
// words are drawn.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "captioning/model/search/word_scores.h"
#include "core/base/error.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade {

using Catch::Matchers::Contains;
namespace {

using namespace test;

TinyModel eager_to_end() {
  TinyModel model(11, 9);
  model.set_eos_bias(3);
  return model;
}

std::vector<DecodedCaption> captions(const TinyModel& model, SearchOptions options,
                                     SearchMode mode) {
  options.mode = mode;
  options.max_length = 8;
  if (mode == SearchMode::kSample) options.samples = 5;
  return model.search(random_features(6, 6, 3, 2), options);
}

// How often n-grams appear in a caption after their first time.
std::size_t repetitions(const std::vector<int>& words, std::size_t n) {
  std::set<std::vector<int>> seen;
  std::size_t out = 0;
  for (std::size_t i = 0; i + n <= words.size(); ++i)
    out += !seen.insert({words.begin() + static_cast<std::ptrdiff_t>(i),
                         words.begin() + static_cast<std::ptrdiff_t>(i + n)})
                .second;
  return out;
}

constexpr SearchMode kModes[] = {SearchMode::kBeam, SearchMode::kGreedy, SearchMode::kSample};

}  // namespace

TEST_CASE("no caption ends before its least length") {
  const TinyModel model = eager_to_end();
  for (const SearchMode mode : kModes) {
    CAPTURE(enum_name(mode));
    const auto free = captions(model, {}, mode);
    CHECK(std::any_of(free.begin(), free.end(), [](const auto& c) { return c.words.size() < 4; }));
    for (const DecodedCaption& caption : captions(model, {.rules = {.min_length = 4}}, mode))
      CHECK(caption.words.size() >= 4);
  }
  CHECK_THROWS_WITH(captions(model, {.rules = {.min_length = 9}}, SearchMode::kGreedy),
                    Contains("search.min_length 9 is more than search.max_length 8"));
}

TEST_CASE("no n-gram appears twice") {
  TinyModel model(11, 9);
  model.set_eos_bias(-9);
  for (const SearchMode mode : kModes)
    for (const Index n : {1, 2, 3}) {
      CAPTURE(enum_name(mode), n);
      std::size_t before = 0;
      for (const DecodedCaption& caption : captions(model, {}, mode))
        before += repetitions(ids(caption), static_cast<std::size_t>(n));
      CHECK(before > 0);
      for (const DecodedCaption& caption :
           captions(model, {.rules = {.no_repeat_ngram = n}}, mode)) {
        CHECK(repetitions(ids(caption), static_cast<std::size_t>(n)) == 0);
        // There are five words: if none may appear twice, the sixth can only be <eos>.
        CHECK(caption.words.size() <= (n == 1 ? 5U : 8U));
      }
    }
}

TEST_CASE("a forbidden word is never chosen and keeps its share of the probability") {
  TinyModel model(11, 9);
  model.set_eos_bias(-2);
  for (const SearchMode mode : kModes) {
    CAPTURE(enum_name(mode));
    const auto free = captions(model, {}, mode);
    REQUIRE_FALSE(free[0].words.empty());
    const int word = free[0].words[0].id;
    const auto without = captions(model, {.rules = {.forbidden = {word}}}, mode);
    for (const DecodedCaption& caption : without)
      for (const DecodedWord& decoded : caption.words) CHECK(decoded.id != word);
  }
  Tensor logits({1, 6});
  for (Index v = 0; v < 6; ++v) logits[v] = static_cast<Real>(v) / 2;
  const Tensor kept(logits.shape(), logits.span());
  Tensor same(kept.shape(), kept.span());
  WordScores free(same.view(), kSpecial), narrowed(logits.view(), kSpecial);
  narrowed.forbid(0, 5);
  CHECK(free.best(0, 1)[0].place == 5);
  CHECK(narrowed.best(0, 1)[0].place == 4);
  CHECK(narrowed.log_prob(0, 4) == free.log_prob(0, 4));
}

TEST_CASE("words are drawn from the most probable ones, in proportion to their probabilities") {
  // Probabilities of the words 4 to 8: 0.4, 0.3, 0.15, 0.1, 0.05. All others have none.
  const std::vector<double> p{0.4, 0.3, 0.15, 0.1, 0.05};
  const auto drawn = [&](const WordScores::Draw& from) {
    Tensor logits({1, 9});
    std::fill_n(logits.data(), 4, Real{-40});
    for (std::size_t i = 0; i < p.size(); ++i)
      logits[static_cast<Index>(i) + 4] = static_cast<Real>(std::log(p[i]));
    WordScores scores(logits.view(), kSpecial);
    std::map<int, double> shares;
    for (int i = 0; i < 2000; ++i) shares[scores.draw(0, from, (i + 0.5) / 2000)] += 1.0 / 2000;
    return shares;
  };
  const auto expect = [](const std::map<int, double>& shares, const std::vector<double>& wanted) {
    CHECK(shares.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      CHECK(shares.at(static_cast<int>(i) + 4) == Approx(wanted[i]).margin(0.002));
  };
  expect(drawn({}), p);
  expect(drawn({.top_k = 2}), {0.4 / 0.7, 0.3 / 0.7});
  expect(drawn({.top_k = 99}), p);
  expect(drawn({.top_p = 0.39}), {1});
  expect(drawn({.top_p = 0.75}), {0.4 / 0.85, 0.3 / 0.85, 0.15 / 0.85});
  // top_p is a share of what top_k left: 0.4 / 0.7 is below 0.6.
  expect(drawn({.top_k = 2, .top_p = 0.6}), {0.4 / 0.7, 0.3 / 0.7});
  expect(drawn({.temperature = 1e-9, .top_p = 0.5}), {1});
}

}  // namespace saccade
