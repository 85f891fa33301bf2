// Search against enumeration, against teacher forcing and against itself. Built in float and
// double.
#include "captioning/model/search/strategies.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade::test::search_test {
namespace {

constexpr double kTolerance = 1e-4;

double sum(const std::vector<double>& x) {
  double total = 0;
  for (const double v : x) total += v;
  return total;
}

// All captions of at most max_length words, over the words kFirstWord to vocabulary - 1.
std::vector<std::vector<int>> all_captions(int vocabulary, Index max_length) {
  std::vector<std::vector<int>> captions{{}};
  for (std::size_t i = 0; i < captions.size(); ++i) {
    if (static_cast<Index>(captions[i].size()) == max_length) continue;
    for (int word = kFirstWord; word < vocabulary; ++word) {
      captions.push_back(captions[i]);
      captions.back().push_back(word);
    }
  }
  return captions;
}

void require_same(const DecodedCaption& a, const DecodedCaption& b) {
  REQUIRE(ids(a) == ids(b));
  CHECK(a.finished == b.finished);
  CHECK(a.log_prob == Approx(b.log_prob).margin(kTolerance));
  for (std::size_t t = 0; t < a.words.size(); ++t) {
    CHECK(a.words[t].map.chosen == b.words[t].map.chosen);
    CHECK(a.words[t].map.gate.value_or(1) ==
          Approx(b.words[t].map.gate.value_or(1)).margin(kTolerance));
    CHECK(a.words[t].log_prob == Approx(b.words[t].log_prob).margin(kTolerance));
    REQUIRE(a.words[t].map.weights.size() == b.words[t].map.weights.size());
    for (std::size_t l = 0; l < a.words[t].map.weights.size(); ++l)
      CHECK(a.words[t].map.weights[l] == Approx(b.words[t].map.weights[l]).margin(kTolerance));
  }
}

// Requires that weights are probabilities that sum to 1.
void require_maps(const DecodedCaption& caption, std::size_t regions) {
  for (const DecodedWord& word : caption.words) {
    REQUIRE(word.map.weights.size() == regions);
    double total = 0;
    for (const float weight : word.map.weights) {
      CHECK(weight >= 0);
      total += static_cast<double>(weight);
    }
    CHECK(total == Approx(1).margin(1e-5));
    CHECK(word.id >= kFirstWord);
    CHECK(word.log_prob <= 0);
  }
}

// Chooses the regions that a caption chose.
class Replay : public GlimpseObserver {
 public:
  explicit Replay(const DecodedCaption& caption) : caption_(caption) {}
  bool chooses() const override { return true; }
  RegionChoice choose(const Odds& odds) override {
    const auto t = static_cast<std::size_t>(odds.draw);
    return {.region = t < caption_.words.size() ? caption_.words[t].map.chosen : 0};
  }

 private:
  const DecodedCaption& caption_;
};

}  // namespace

TEST_CASE("a wide beam finds the best one of all captions") {
  const double exponent = GENERATE(0.0, 0.7, 1.0);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const TinyModel model(seed);
    const Tensor feature = random_features(1, 4, 3, seed);
    const SearchOptions options{.beam = 150, .max_length = 3, .length_normalization = exponent};
    double best = -std::numeric_limits<double>::infinity();
    std::vector<int> best_words;
    for (const std::vector<int>& words : all_captions(7, options.max_length)) {
      const double score = -sum(model.nll(feature, words)) /
                           std::pow(static_cast<double>(words.size() + 1), exponent);
      if (score > best) best = score, best_words = words;
    }
    CAPTURE(seed, exponent);
    const DecodedCaption found = model.search(feature, options)[0];
    CHECK(found.finished);
    CHECK(ids(found) == best_words);
    const double length = std::pow(static_cast<double>(best_words.size() + 1), exponent);
    CHECK(found.log_prob / length == Approx(best).margin(kTolerance));
  }
}

TEST_CASE("a beam of one is greedy search, and a wide one is no worse") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const TinyModel model(seed, 12);
    const Tensor features = random_features(5, 4, 3, seed);
    const auto with = [&](SearchMode mode, Index beam, double exponent) {
      return model.search(
          features,
          {.mode = mode, .beam = beam, .max_length = 6, .length_normalization = exponent});
    };
    const auto greedy = with(SearchMode::kGreedy, 1, 0), one = with(SearchMode::kBeam, 1, 0),
               normalised = with(SearchMode::kBeam, 1, 1), wide = with(SearchMode::kBeam, 60, 0);
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      CAPTURE(seed, i);
      CHECK(ids(one[i]) == ids(greedy[i]));
      CHECK(one[i].log_prob == greedy[i].log_prob);
      CHECK(one[i].finished == greedy[i].finished);
      CHECK(ids(normalised[i]) == ids(greedy[i]));
      if (greedy[i].finished) {
        CHECK(wide[i].log_prob >= greedy[i].log_prob - 1e-6);
      }
    }
  }
}

TEST_CASE("log p equals that of teacher forcing") {
  const SearchMode mode = GENERATE(SearchMode::kGreedy, SearchMode::kBeam, SearchMode::kSample);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const TinyModel model(seed, 12);
    const Tensor features = random_features(4, 5, 3, seed);
    const auto captions = model.search(features, {.mode = mode, .max_length = 6});
    for (Index i = 0; i < 4; ++i) {
      const DecodedCaption& caption = captions[static_cast<std::size_t>(i)];
      const std::vector<double> nll = model.nll(rows_of(features, i, 1), ids(caption));
      double total = 0;
      for (std::size_t t = 0; t < caption.words.size(); ++t) {
        CHECK(caption.words[t].log_prob == Approx(-nll[t]).margin(kTolerance));
        total -= nll[t];
      }
      if (caption.finished) total -= nll.back();
      CHECK(caption.log_prob == Approx(total).margin(kTolerance));
      require_maps(caption, 5);
      for (const DecodedWord& word : caption.words) {
        CHECK(word.map.chosen == -1);
        CHECK((word.map.gate > 0 && word.map.gate < 1));
      }
    }
  }
}

TEST_CASE("the caption of an image does not depend on its batch") {
  const SearchMode mode = GENERATE(SearchMode::kGreedy, SearchMode::kBeam, SearchMode::kSample);
  const Regime regime = GENERATE(Regime::kExpectation, Regime::kArgmax, Regime::kSample);
  const Ablation ablation = GENERATE(Ablation::kNone, Ablation::kShuffled);
  std::set<std::size_t> lengths;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const TinyModel model(seed, 12);
    const Tensor features = random_features(6, 5, 3, seed);
    const SearchOptions options{
        .mode = mode, .max_length = 8, .regime = regime, .seed = seed, .ablation = ablation};
    const auto together = model.search(features, options, 100);
    for (Index i = 0; i < 6; ++i) {
      CAPTURE(seed, i);
      const auto image = 100 + static_cast<std::uint64_t>(i);
      const DecodedCaption alone = model.search(rows_of(features, i, 1), options, image)[0];
      require_same(together[static_cast<std::size_t>(i)], alone);
      lengths.insert(alone.words.size());
    }
  }
  CHECK(lengths.size() > 2);  // otherwise images would never leave a batch
}

TEST_CASE("finished images leave the batch, and memories stay with their images") {
  // For feature k, the caption has k words, each named after its step. Another path is improbable.
  const ScriptedDecoder decoder(12, [](Real feature, Index step, int, int id) -> Real {
    const int wanted =
        static_cast<Real>(step) == feature ? kSpecial.eos : kFirstWord + static_cast<int>(step);
    return id == wanted ? Real{20} : id == kSpecial.eos ? Real{-20} : Real{0};
  });
  const std::vector<Real> lengths{1, 3, 0, 6, 2, 5};
  const Tensor features({6, 1, 1}, lengths);
  const auto captions = search(decoder, {}, features.view(), kSpecial, {.max_length = 20}, 0);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    CHECK(captions[i].finished);
    REQUIRE(captions[i].words.size() == static_cast<std::size_t>(lengths[i]));
    for (std::size_t t = 0; t < captions[i].words.size(); ++t) {
      CHECK(captions[i].words[t].id == kFirstWord + static_cast<int>(t));
      CHECK(captions[i].words[t].map.gate == static_cast<double>(lengths[i]));
    }
  }
  // Only images that have not ended are computed, with three hypotheses each at most.
  REQUIRE(decoder.rows().size() == 7);
  for (std::size_t t = 0; t < 7; ++t) {
    const auto going = std::count_if(lengths.begin(), lengths.end(),
                                     [t](Real length) { return length >= static_cast<Real>(t); });
    CHECK(decoder.rows()[t] >= going);
    CHECK(decoder.rows()[t] <= 3 * going);
  }
}

TEST_CASE("if a decoder never ends a caption, the best unfinished one is returned with its maps") {
  const SearchMode mode = GENERATE(SearchMode::kGreedy, SearchMode::kBeam, SearchMode::kSample);
  TinyModel model(3, 30);
  model.set_eos_bias(-1000);
  const Tensor features = random_features(3, 5, 3, 3);
  for (const DecodedCaption& caption : model.search(features, {.mode = mode, .max_length = 7})) {
    CHECK_FALSE(caption.finished);
    REQUIRE(caption.words.size() == 7);
    double total = 0;
    for (const DecodedWord& word : caption.words) total += word.log_prob;
    CHECK(caption.log_prob == Approx(total));
    require_maps(caption, 5);
  }
}

TEST_CASE("of equal words the lower id wins, and of equal hypotheses the earlier one") {
  const ScriptedDecoder flat(9, [](Real, Index, int, int) { return Real{0}; });
  const Tensor feature({1, 1, 1});
  // Of the words that are allowed, <eos> has the lowest id.
  CHECK(search(flat, {}, feature.view(), kSpecial, {.mode = SearchMode::kGreedy}, 0)[0]
            .words.empty());
  const ScriptedDecoder endless(9, [](Real, Index, int, int id) {
    return id == kSpecial.eos ? -std::numeric_limits<Real>::infinity() : Real{0};
  });
  for (const Index beam : {1, 3, 200}) {
    const DecodedCaption caption =
        search(endless, {}, feature.view(), kSpecial, {.beam = beam, .max_length = 3}, 0)[0];
    CHECK(ids(caption) == std::vector<int>{kFirstWord, kFirstWord, kFirstWord});
    CHECK_FALSE(caption.finished);
  }
}

TEST_CASE("the edges of a search") {
  const TinyModel model(1);
  CHECK(model.search(Tensor({0, 4, 3}), {}).empty());
  const Tensor features = random_features(2, 4, 3, 1);
  for (const SearchMode mode : {SearchMode::kGreedy, SearchMode::kBeam, SearchMode::kSample}) {
    const auto captions = model.search(features, {.mode = mode, .beam = 1000, .max_length = 1});
    REQUIRE(captions.size() == 2);
    for (const DecodedCaption& caption : captions) CHECK(caption.words.size() <= 1);
  }
  CHECK_THROWS_AS(model.search(features, {.beam = 0}), UsageError);
  CHECK_THROWS_AS(model.search(features, {.max_length = 0}), UsageError);
  CHECK_THROWS_AS(model.search(features, {.temperature = 0}), UsageError);
  CHECK_THROWS_AS(model.search(features, {.length_normalization = -1}), UsageError);
  CHECK_THROWS_AS(model.search(Tensor({4, 3}), {}), ShapeError);

  const Tensor one({1, 1, 1});
  const auto run = [&](Index vocabulary, ScriptedDecoder::Script script, SearchMode mode) {
    const ScriptedDecoder decoder(vocabulary, std::move(script));
    return search(decoder, {}, one.view(), kSpecial, {.mode = mode}, 0)[0];
  };
  for (const SearchMode mode : {SearchMode::kGreedy, SearchMode::kBeam, SearchMode::kSample}) {
    const auto infinite = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(
        run(
            9, [](Real, Index, int, int id) { return id == 7 ? Real(NAN) : Real{0}; }, mode),
        DivergedError);
    CHECK_THROWS_AS(run(
                        9, [=](Real, Index, int, int) { return infinite; }, mode),
                    DivergedError);
    CHECK_THROWS_AS(run(
                        9, [=](Real, Index, int, int) { return -infinite; }, mode),
                    DivergedError);
    CHECK_THROWS_AS(run(
                        2, [](Real, Index, int, int) { return Real{0}; }, mode),
                    ShapeError);
    // All probability is on words that are not allowed: an empty caption that did not finish.
    const DecodedCaption mute = run(
        9, [=](Real, Index, int, int id) { return id == kSpecial.unk ? Real{0} : -infinite; },
        mode);
    CHECK(mute.words.empty());
    CHECK_FALSE(mute.finished);
    CHECK(mute.log_prob == 0);
  }
}

TEST_CASE("sampled words have the model's frequencies") {
  const double temperature = GENERATE(0.5, 1.0, 2.0);
  const TinyModel model(2, 9, {}, Real{1.5});
  const Tensor feature = random_features(1, 4, 3, 2);
  std::map<int, double> expected;  // by word; <eos> too
  double total = 0;
  for (int word = kSpecial.eos; word < 9; ++word) {
    if (word == kSpecial.unk) continue;
    const std::vector<int> caption = word == kSpecial.eos ? std::vector<int>{} : std::vector{word};
    expected[word] = std::exp(-model.nll(feature, caption)[0] / temperature);
    total += expected[word];
  }
  constexpr Index kImages = 4000;
  Tensor features({kImages, 4, 3});
  for (Index i = 0; i < kImages; ++i)
    std::copy_n(feature.data(), feature.size(), features.data() + i * feature.size());
  std::map<int, int> counts;
  const SearchOptions options{
      .mode = SearchMode::kSample, .max_length = 1, .temperature = temperature};
  for (const DecodedCaption& caption : model.search(features, options))
    ++counts[caption.words.empty() ? kSpecial.eos : caption.words[0].id];
  for (const auto& [word, weight] : expected) {
    const double p = weight / total;
    CAPTURE(word, p, temperature);
    CHECK(std::abs(counts[word] / double{kImages} - p) < 4 * std::sqrt(p * (1 - p) / kImages));
  }
}

TEST_CASE(
    "at a temperature near 0 sampling is greedy search, and another seed gives another caption") {
  const TinyModel model(4, 12);
  const Tensor features = random_features(8, 4, 3, 4);
  const auto greedy = model.search(features, {.mode = SearchMode::kGreedy});
  const auto frozen = model.search(features, {.mode = SearchMode::kSample, .temperature = 1e-300});
  const auto sampled = model.search(features, {.mode = SearchMode::kSample, .seed = 1});
  const auto again = model.search(features, {.mode = SearchMode::kSample, .seed = 2});
  std::size_t different = 0;
  for (std::size_t i = 0; i < greedy.size(); ++i) {
    require_same(frozen[i], greedy[i]);
    different += ids(sampled[i]) != ids(again[i]);
  }
  CHECK(different > 0);
}

TEST_CASE("hard regimes attend to one region and return which") {
  const SearchMode mode = GENERATE(SearchMode::kGreedy, SearchMode::kBeam, SearchMode::kSample);
  TinyModel model(5, 30);
  model.set_eos_bias(
      -1000);  // the glimpse before <eos> is not returned, so it could not be replayed
  const Tensor features = random_features(4, 6, 3, 5);
  std::set<std::vector<int>> choices;
  for (const Regime regime : {Regime::kArgmax, Regime::kSample}) {
    const auto captions = model.search(features, {.mode = mode, .max_length = 6, .regime = regime});
    for (Index i = 0; i < 4; ++i) {
      const DecodedCaption& caption = captions[static_cast<std::size_t>(i)];
      std::vector<int> chosen;
      for (const DecodedWord& word : caption.words) {
        REQUIRE((word.map.chosen >= 0 && word.map.chosen < 6));
        const auto largest = std::max_element(word.map.weights.begin(), word.map.weights.end());
        if (regime == Regime::kArgmax) CHECK(word.map.chosen == largest - word.map.weights.begin());
        chosen.push_back(word.map.chosen);
      }
      if (regime == Regime::kSample) choices.insert(chosen);
      Replay replay(caption);
      const std::vector<double> nll = model.nll(rows_of(features, i, 1), ids(caption), &replay);
      for (std::size_t t = 0; t < caption.words.size(); ++t)
        CHECK(caption.words[t].log_prob == Approx(-nll[t]).margin(kTolerance));
    }
  }
  CHECK(choices.size() > 1);
}

TEST_CASE("the hypotheses of a beam draw their regions independently") {
  SearchObserver observer({.regime = Regime::kSample}, 1);
  constexpr Index kGroup = 300;
  const std::vector<Real> weights(4, Real{0.25});
  const auto choose = [&](const std::vector<std::uint64_t>& images) {
    observer.begin(images, kGroup, 0);
    std::vector<int> chosen;
    for (Index row = 0; row < std::ssize(images) * kGroup; ++row)
      chosen.push_back(observer.choose({.weights = weights, .row = row, .draw = 3}).region);
    return chosen;
  };
  const std::vector<int> chosen = choose({7, 9}), alone = choose({9});
  for (int region = 0; region < 4; ++region)
    CHECK(std::abs(std::count(chosen.begin(), chosen.end(), region) - 150) < 45);
  CHECK(std::equal(alone.begin(), alone.end(), chosen.begin() + kGroup));
  CHECK_FALSE(std::equal(alone.begin(), alone.end(), chosen.begin()));
}

TEST_CASE("a shuffled map has one permutation for an image and a word, a uniform one its mean") {
  const auto replaced = [](Ablation ablation, std::uint64_t image, Index word, Real first) {
    SearchObserver observer({.ablation = ablation}, 1);
    observer.begin(std::vector<std::uint64_t>{5, image}, 1, word);
    std::vector<Real> weights(20);
    for (std::size_t l = 0; l < weights.size(); ++l) weights[l] = first + static_cast<Real>(l);
    observer.replace(1, weights);
    for (Real& w : weights) w -= first;
    return weights;
  };
  const std::vector<Real> order = replaced(Ablation::kShuffled, 7, 2, 0);
  CHECK(order == replaced(Ablation::kShuffled, 7, 2, 3));
  CHECK(order != replaced(Ablation::kShuffled, 8, 2, 0));
  CHECK(order != replaced(Ablation::kShuffled, 7, 3, 0));
  CHECK(replaced(Ablation::kUniform, 7, 2, 0) == std::vector<Real>(20, Real{9.5}));
}

TEST_CASE("search works for a model without attention") {
  AttentionConfig attention;
  attention.score = "none";
  attention.gate = "none";
  const TinyModel model(6, 12, attention);
  const auto captions = model.search(random_features(5, 4, 3, 6), {.max_length = 6});
  for (const DecodedCaption& caption : captions) {
    require_maps(caption, 4);
    for (const DecodedWord& word : caption.words) {
      CHECK_FALSE(word.map.gate);
      CHECK(word.map.chosen == -1);
    }
  }
}

}  // namespace saccade::test::search_test
