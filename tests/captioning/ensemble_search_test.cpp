// Several models in one search: every word has the mean of their probabilities. Built in float and
// double.
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::test::ensemble_search_test {
namespace {

constexpr double kTolerance = 1e-4;

template <class Member, class Value>
AttentionConfig with(Member AttentionConfig::*member, Value value) {
  AttentionConfig config;
  config.*member = value;
  return config;
}

// Models with different weights, attention and grids, and images that each of them sees in its own
// way.
struct Members {
  TinyModel one, two, three;
  Tensor seen_by_one, seen_by_two, seen_by_three;

  explicit Members(std::uint64_t seed, Index images = 1)
      : one(seed),
        two(seed + 100, 7, with(&AttentionConfig::score, "scaled_dot")),
        three(seed + 200, 7, with(&AttentionConfig::gate, "none")),
        seen_by_one(random_features(images, 4, 3, seed)),
        seen_by_two(random_features(images, 4, 3, seed + 1)),
        seen_by_three(random_features(images, 6, 3, seed + 2)) {}

  static SearchMember member(const TinyModel& model, const Tensor& features, bool shown) {
    return {.decoder = model.decoder.get(),
            .parameters = model.store.views(),
            .images = features.view(),
            .shown = shown};
  }
  // The third model has another grid, so its map is not shown.
  std::vector<DecodedCaption> search(const SearchOptions& options) const {
    const std::vector<SearchMember> members{member(one, seen_by_one, true),
                                            member(two, seen_by_two, true),
                                            member(three, seen_by_three, false)};
    return saccade::search(members, kSpecial, options, 0);
  }

  // log p of every word and of <eos>, for one image.
  std::vector<double> log_probs(const std::vector<int>& words, Index image = 0) const {
    const auto of = [&](const TinyModel& model, const Tensor& features) {
      return model.nll(rows_of(features, image, 1), words);
    };
    const std::vector<double> a = of(one, seen_by_one), b = of(two, seen_by_two),
                              c = of(three, seen_by_three);
    std::vector<double> out;
    for (std::size_t t = 0; t < a.size(); ++t)
      out.push_back(std::log((std::exp(-a[t]) + std::exp(-b[t]) + std::exp(-c[t])) / 3));
    return out;
  }
};

std::vector<float> map_of(const TinyModel& model, const Tensor& features,
                          const std::vector<int>& words, std::size_t t) {
  TestTape tape(model.store.views());
  const AttentionMemory memory = model.decoder->prepare(tape, tape.constant(features.view()), 1);
  const SequenceOutput out = model.decoder->sequence(
      tape, pack_captions(std::vector<std::vector<int>>{words}, kSpecial.bos, kSpecial.eos), memory,
      {});
  const auto map = out.weights()[t].value().span();
  return {map.begin(), map.end()};
}

}  // namespace

TEST_CASE("words of an ensemble have the mean of its members' probabilities, in every search") {
  for (const auto& mode : enum_table(SearchMode{}))
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Members members(seed, 5);
      const auto found =
          members.search({.mode = mode.value, .beam = 3, .max_length = 4, .seed = seed});
      REQUIRE(found.size() == 5);
      for (Index image = 0; image < 5; ++image) {
        const DecodedCaption& caption = found[static_cast<std::size_t>(image)];
        CAPTURE(mode.name, seed, image);
        const std::vector<double> wanted = members.log_probs(ids(caption), image);
        double sum = caption.finished ? wanted.back() : 0;
        for (std::size_t t = 0; t < caption.words.size(); ++t) {
          CHECK(caption.words[t].log_prob == Approx(wanted[t]).margin(kTolerance));
          sum += wanted[t];
        }
        CHECK(caption.log_prob == Approx(sum).margin(kTolerance));
      }
    }
}

TEST_CASE("a wide beam finds the best caption of the mean, not of the first member") {
  bool own = false;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Members members(seed);
    const SearchOptions options{.beam = 150, .max_length = 3};
    std::vector<std::vector<int>> all{{}};
    double best = -std::numeric_limits<double>::infinity();
    std::vector<int> best_words;
    for (std::size_t i = 0; i < all.size(); ++i) {
      double sum = 0;
      for (const double log_prob : members.log_probs(all[i])) sum += log_prob;
      if (sum > best) best = sum, best_words = all[i];
      if (all[i].size() == 3) continue;
      for (int word = kFirstWord; word < 7; ++word) {
        all.push_back(all[i]);
        all.back().push_back(word);
      }
    }
    const DecodedCaption found = members.search(options)[0];
    CAPTURE(seed);
    CHECK(ids(found) == best_words);
    CHECK(found.log_prob == Approx(best).margin(kTolerance));
    own = own || ids(members.one.search(members.seen_by_one, options)[0]) != best_words;
  }
  CHECK(own);
}

TEST_CASE("an ensemble returns the mean map of the members that are shown") {
  const Members members(3);
  const DecodedCaption found = members.search({.beam = 2, .max_length = 4})[0];
  REQUIRE_FALSE(found.words.empty());
  for (std::size_t t = 0; t < found.words.size(); ++t) {
    const auto a = map_of(members.one, members.seen_by_one, ids(found), t);
    const auto b = map_of(members.two, members.seen_by_two, ids(found), t);
    REQUIRE(found.words[t].map.weights.size() == a.size());
    for (std::size_t l = 0; l < a.size(); ++l)
      CHECK(found.words[t].map.weights[l] == Approx((a[l] + b[l]) / 2).margin(kTolerance));
  }
}

TEST_CASE("a model joined with itself gives the captions that it gives alone") {
  for (const auto& regime : {Regime::kExpectation, Regime::kArgmax}) {
    const TinyModel model(4);
    const Tensor features = random_features(3, 4, 3, 4);
    const SearchOptions options{.beam = 3, .max_length = 5, .regime = regime};
    const SearchMember member = Members::member(model, features, true);
    const auto alone = model.search(features, options);
    const auto twice =
        saccade::search(std::vector<SearchMember>{member, member}, kSpecial, options, 0);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CHECK(ids(twice[i]) == ids(alone[i]));
      CHECK(twice[i].log_prob == Approx(alone[i].log_prob).margin(kTolerance));
    }
  }
}

}  // namespace saccade::test::ensemble_search_test
