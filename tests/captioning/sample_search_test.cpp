// Several captions that are drawn per image, and the same draws again by teacher forcing.
#include "captioning/learning/objectives/policy_loss.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using namespace test;

SearchOptions drawing(const std::string& selection, Index samples) {
  SearchOptions options{.mode = SearchMode::kSample, .max_length = 6, .seed = 3};
  if (selection == "hard") options.regime = Regime::kSample;
  options.samples = samples;
  options.allowed_words = AllowedWords::kAll;
  return options;
}

TinyModel model_with(const std::string& selection) {
  AttentionConfig attention;
  attention.selection = selection;
  TinyModel model(11, 7, attention);
  model.set_eos_bias(0.5);
  return model;
}

}  // namespace

TEST_CASE("replaying drawn captions gives the log p that the search recorded") {
  for (const std::string selection : {"soft", "hard"}) {
    const TinyModel model = model_with(selection);
    constexpr Index kImages = 5, kSamples = 4;
    const Tensor features = random_features(kImages, 6, 3, 2);
    const auto decoded = model.search(features, drawing(selection, kSamples));
    REQUIRE(decoded.size() == kImages * kSamples);
    std::vector<DrawnCaption> drawn;
    for (const DecodedCaption& caption : decoded) drawn.push_back(drawn_caption(caption));
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    const PolicyLoss loss(tape, *model.decoder,
                          model.decoder->prepare(tape, tape.constant(features.view()), 1), drawn,
                          {selection});
    Index finished = 0;
    for (std::size_t c = 0; c < decoded.size(); ++c) {
      const DecodedCaption& caption = decoded[c];
      finished += caption.finished;
      CHECK((caption.finished || caption.words.size() == 6));
      const double cut = caption.finished ? 0 : caption.last.log_prob;
      CHECK(loss.word_log_probs()[c] == Approx(caption.log_prob + cut).margin(1e-4));
      CHECK(drawn[c].regions.size() == (selection == "hard" ? drawn[c].words.size() : 0U));
      double regions = 0;
      for (std::size_t t = 0; t < drawn[c].regions.size(); ++t) {
        const DecodedWord& word = t < caption.words.size() ? caption.words[t] : caption.last;
        regions += std::log(word.map.weights[static_cast<std::size_t>(word.map.chosen)]);
      }
      CHECK(loss.region_log_probs()[c] == Approx(regions).margin(1e-4));
    }
    CHECK(finished > 0);
    CHECK(finished < kImages * kSamples);
  }
}

TEST_CASE("a sample depends neither on the other images nor on the number of samples") {
  const TinyModel model = model_with("hard");
  const Tensor features = random_features(5, 6, 3, 2);
  const auto all = model.search(features, drawing("hard", 4));
  const auto fewer = model.search(rows_of(features, 2, 3), drawing("hard", 2), 2);
  bool differ = false;
  for (std::size_t image = 0; image < 3; ++image) {
    for (std::size_t s = 0; s < 2; ++s)
      CHECK(ids(fewer[image * 2 + s]) == ids(all[(image + 2) * 4 + s]));
    differ |= ids(fewer[image * 2]) != ids(fewer[image * 2 + 1]);
  }
  CHECK(differ);
}

}  // namespace saccade
