// The effects of regions on words, against captions that are computed without a region: by hand,
// from features that never had it, and where it has no weight.
#include "captioning/study/inspection/occlusion.h"

#include "captioning/model/decoding/forced_decoding.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade {
namespace {

using test::kSpecial;

constexpr double kSame = sizeof(Real) == 8 ? 1e-11 : 1e-4;
constexpr Index kRegions = 5, kFeatures = 3;
const std::vector<int> kCaption{4, 6, 5, 4};

// The features without region `removed`.
Tensor without(const Tensor& features, Index removed) {
  const Index regions = features.shape()[1], width = features.shape()[2];
  Tensor out({1, regions - 1, width});
  for (Index l = 0; l < regions; ++l)
    if (l != removed)
      std::copy_n(features.data() + l * width, width,
                  out.data() + (l > removed ? l - 1 : l) * width);
  return out;
}

TEST_CASE("effects by hand: a decoder that sees region 0 alone") {
  const test::ScriptedDecoder decoder(5, [](Real feature, Index, int, int id) {
    return feature != 0 && id == 4 ? std::log(Real{4}) : Real{0};
  });
  const Tensor features({1, 3, 1}, std::vector<Real>{1, 1, 1});
  const SearchMember member{.decoder = &decoder, .images = features.view()};
  const Tensor effects =
      region_effects(member, kSpecial, std::vector<int>{4, 4}, {}, Removal::kZeros);
  REQUIRE(effects.shape() == Shape{2, 3});
  for (Index t = 0; t < 2; ++t) {
    // The probability falls from 4/8 to 1/5.
    CHECK(std::abs(static_cast<double>(effects.view().row(t)[0]) - std::log(2.5)) < 1e-6);
    CHECK(effects.view().row(t)[1] == 0);
    CHECK(effects.view().row(t)[2] == 0);
  }
  // The word 3 becomes likelier: from 1/8 to 1/5.
  const Tensor other = region_effects(member, kSpecial, std::vector<int>{3}, {}, Removal::kZeros);
  CHECK(std::abs(static_cast<double>(other[0]) - std::log(0.625)) < 1e-6);
}

TEST_CASE("an effect is what features without the region give") {
  std::vector<AttentionConfig> configs(6);
  configs[1].score = "scaled_dot";
  configs[1].heads = kFeatures;
  configs[2].sentinel = true;
  configs[3].normalizer = "entmax15";
  configs[4].mechanism = "linear";
  configs[5].score = "none";
  for (const AttentionConfig& config : configs) {
    const test::TinyModel model(5, 7, config, 2);
    const Tensor features = test::random_features(1, kRegions, kFeatures, 8);
    const SearchMember member{.decoder = model.decoder.get(),
                              .parameters = model.store.views(),
                              .images = features.view()};
    const Tensor effects = region_effects(member, kSpecial, kCaption, {}, removal_of(config));
    const std::vector<double> whole = model.nll(features, kCaption);
    double most = 0, largest = 0;
    for (Index l = 0; l < kRegions; ++l) {
      const std::vector<double> rest = model.nll(without(features, l), kCaption);
      for (std::size_t t = 0; t < kCaption.size(); ++t) {
        const double effect = static_cast<double>(effects.view().row(static_cast<Index>(t))[l]);
        most = std::max(most, std::abs(effect - (rest[t] - whole[t])));
        largest = std::max(largest, std::abs(effect));
      }
    }
    INFO("score " << config.score << ", mechanism " << config.mechanism);
    CHECK(largest > 0.01);
    CHECK(most < kSame);
  }
}

TEST_CASE("a region without weight and without another path has no effect") {
  AttentionConfig attention;
  attention.normalizer = "sparsemax";
  attention.hidden = 4;
  for (const FirstState first_state : {FirstState::kNone, FirstState::kPooled}) {
    ParameterStore store;
    const auto decoder = make_decoder(
        {.hidden = 6, .embedding = 5, .dropout = 0, .init_hidden = 4, .first_state = first_state},
        attention, {.features = kFeatures, .vocabulary = 7}, ParamScope(store, "decoder"));
    store.initialise(5);
    for (Real& x : store.flat().span()) x *= 3;
    const Tensor features = test::random_features(1, 20, kFeatures, 8);  // more than a block
    const SearchMember member{
        .decoder = decoder.get(), .parameters = store.views(), .images = features.view()};
    const std::vector<std::vector<std::vector<int>>> captions{{kCaption}};
    const DecodedCaption caption = force_decode({&member, 1}, kSpecial, captions, {}, 0)[0][0];
    const Tensor effects = region_effects(member, kSpecial, kCaption, {}, removal_of(attention));
    Index unseen = 0;
    double most = 0, largest = 0;
    for (Index l = 0; l < 20; ++l) {
      bool weighed = false;
      for (const DecodedWord& word : caption.words)
        weighed |= word.map.weights[static_cast<std::size_t>(l)] != 0;
      unseen += weighed ? 0 : 1;
      for (Index t = 0; t < 4; ++t) {
        double& of = weighed ? largest : most;
        of = std::max(of, std::abs(static_cast<double>(effects.view().row(t)[l])));
      }
    }
    REQUIRE(unseen > 0);
    CHECK(largest > 0.01);
    if (first_state == FirstState::kNone)
      CHECK(most < 0.1 * kSame);
    else
      CHECK(most > 10 * kSame);  // it counts in the mean that the first state is made from
  }
}

TEST_CASE("where attention takes no mask, the region is left out of every mixture") {
  AttentionConfig attention;
  attention.mechanism = "linformer";
  attention.projected = 2;
  attention.hidden = 4;
  REQUIRE(removal_of(attention) == Removal::kZeros);
  ParameterStore store;
  const auto decoder =
      make_decoder({.hidden = 6, .embedding = 5, .dropout = 0, .init_hidden = 4}, attention,
                   {.features = kFeatures, .vocabulary = 7, .grid = {1, kRegions}},
                   ParamScope(store, "decoder"));
  store.initialise(5);
  for (Real& x : store.flat().span()) x *= 2;
  const Tensor features = test::random_features(1, kRegions, kFeatures, 8);
  const auto nll = [&](const EncodedValues& image) {
    test::TestTape tape(store.views());
    const std::vector<std::vector<int>> captions{kCaption};
    const ConstView value =
        decoder
            ->sequence(tape, pack_captions(captions, kSpecial.bos, kSpecial.eos),
                       decoder->prepare(tape, image.on(tape), 1), {})
            .nll.value();
    return std::vector<double>(value.span().begin(), value.span().end());
  };
  const SearchMember member{
      .decoder = decoder.get(), .parameters = store.views(), .images = features.view()};
  const Tensor effects = region_effects(member, kSpecial, kCaption, {}, Removal::kZeros);
  const std::vector<double> whole = nll(features.view());
  double most = 0, largest = 0;
  for (Index l = 0; l < kRegions; ++l) {
    Tensor rest = features.clone(), mean({1, kFeatures});
    for (Index d = 0; d < kFeatures; ++d) {
      rest[l * kFeatures + d] = 0;
      for (Index k = 0; k < kRegions; ++k) mean[d] += rest[k * kFeatures + d] / (kRegions - 1);
    }
    const std::vector<double> left = nll({rest.view(), {}, mean.view()});
    for (std::size_t t = 0; t < kCaption.size(); ++t) {
      const double effect = static_cast<double>(effects.view().row(static_cast<Index>(t))[l]);
      most = std::max(most, std::abs(effect - (left[t] - whole[t])));
      largest = std::max(largest, std::abs(effect));
    }
  }
  CHECK(largest > 0.01);
  CHECK(most < kSame);
  const Tensor mask({1, kRegions}, std::vector<Real>{1, 1, 1, 1, 0});
  const SearchMember padded{.decoder = decoder.get(),
                            .parameters = store.views(),
                            .images = {features.view(), mask.view()}};
  CHECK_THROWS_AS(region_effects(padded, kSpecial, kCaption, {}, Removal::kZeros), ShapeError);
}

TEST_CASE("what has no defined effect is refused") {
  AttentionConfig config;
  config.selection = "hard";
  const test::TinyModel model(5, 7, config);
  const Tensor features = test::random_features(1, kRegions, kFeatures, 8);
  const auto effects = [&](const EncodedValues& images, Regime regime) {
    return region_effects(
        {.decoder = model.decoder.get(), .parameters = model.store.views(), .images = images},
        kSpecial, kCaption, {.regime = regime}, Removal::kMask);
  };
  CHECK(effects(features.view(), Regime::kArgmax).shape() == Shape{4, kRegions});
  CHECK_THROWS_AS(effects(features.view(), Regime::kSample), UsageError);
  const Tensor mask({1, kRegions}, std::vector<Real>{0, 0, 1, 0, 0});
  CHECK_THROWS_AS(effects({features.view(), mask.view()}, Regime::kArgmax), UsageError);
  const Tensor two = test::random_features(2, kRegions, kFeatures, 8);
  CHECK_THROWS_AS(effects(two.view(), Regime::kArgmax), ShapeError);
}

}  // namespace
}  // namespace saccade

// The maps that a search passes on: those of an ablation, and those of several heads. Built in
// float and double.
namespace saccade::test {

TEST_CASE("an ablated search returns the weights that replaced the map, in every regime") {
  const Regime regime =
      GENERATE(Regime::kExpectation, Regime::kArgmax, Regime::kSample, Regime::kMarginal);
  TinyModel model(4, 12);
  model.set_eos_bias(-1000);
  const Tensor features = random_features(3, 5, 3, 4);
  SearchOptions options{.mode = SearchMode::kGreedy, .max_length = 6, .regime = regime};
  const auto own = model.search(features, options);
  options.ablation = Ablation::kUniform;
  for (const DecodedCaption& caption : model.search(features, options))
    for (const DecodedWord& word : caption.words) {
      for (const float w : word.map.weights) CHECK(w == Approx(0.2));
      CHECK((word.map.chosen >= 0) == (regime == Regime::kSample));
    }
  options.ablation = Ablation::kShuffled;
  const auto shuffled = model.search(features, options);
  int moved = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    // The map of the first word; later maps follow another state.
    std::vector<float> a = own[i].words[0].map.weights, b = shuffled[i].words[0].map.weights;
    if (regime == Regime::kArgmax)
      CHECK(shuffled[i].words[0].map.chosen == std::max_element(b.begin(), b.end()) - b.begin());
    moved += a != b ? 1 : 0;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    CHECK(a == b);
  }
  CHECK(moved > 0);
}

TEST_CASE("a word keeps the maps of its heads, and their mean is its map") {
  AttentionConfig attention;
  attention.heads = 3;
  TinyModel model(5, 12, attention);
  for (const DecodedCaption& caption :
       model.search(random_features(3, 5, 3, 5), {.beam = 3, .max_length = 6}))
    for (const DecodedWord& word : caption.words) {
      REQUIRE(word.parts.size() == 3);
      CHECK(word.map.head.name() == "mean");
      for (std::size_t l = 0; l < 5; ++l) {
        float mean = 0;
        for (const AttentionMap& head : word.parts) mean += head.weights[l] / 3;
        CHECK(word.map.weights[l] == Approx(mean).margin(1e-6));
      }
      CHECK(word.parts[0].weights != word.parts[1].weights);
      for (Index h = 0; h < 3; ++h)
        CHECK(word.parts[static_cast<std::size_t>(h)].head == MapPart{.number = h, .count = 3});
    }
}

}  // namespace saccade::test
