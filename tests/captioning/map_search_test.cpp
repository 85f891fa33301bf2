// The maps that a search passes on: those of an ablation, and those of several heads. Built in
// float and double.
#include <algorithm>

#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

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
