// Agreement of maps with effects by hand, and effects of the picture against a picture that was
// painted over by hand.
#include "captioning/study/inspection/map_agreement.h"

#include <cmath>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/model/decoding/forced_decoding.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "captioning/study/inspection/picture_occlusion.h"
#include "core/base/error.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

DecodedWord word_of(std::vector<float> weights, std::vector<float> effects) {
  DecodedWord word;
  word.map.layout = {{.rows = 1, .cols = static_cast<Index>(weights.size())}};
  word.map.weights = std::move(weights);
  word.effects = std::move(effects);
  return word;
}

TEST_CASE("rank correlation by hand, with ties") {
  const std::vector<double> up{1, 2, 3, 4}, mixed{10, 30, 20, 40}, down{4, 3, 2, 1};
  CHECK(rank_correlation(up, up) == 1);
  CHECK(rank_correlation(up, down) == -1);
  CHECK(std::abs(rank_correlation(up, mixed) - 0.8) < 1e-12);
  // Ranks 0.5, 0.5, 2 and 3 against 0, 1, 2 and 3: 4.5 / sqrt(4.5 * 5).
  CHECK(std::abs(rank_correlation(std::vector<double>{1, 1, 5, 6}, up) - std::sqrt(0.9)) < 1e-12);
  CHECK(std::isnan(rank_correlation(std::vector<double>{1, 1, 1, 1}, up)));
  CHECK_THROWS_AS(rank_correlation(up, std::vector<double>{1}), ShapeError);
}

TEST_CASE("agreement of maps with effects by hand") {
  DecodedCaption caption;
  caption.words = {word_of({.7F, .2F, .1F}, {3, 2, 1}),  // the same order
                   word_of({.1F, .2F, .7F}, {3, 2, 1}),  // the opposite order
                   word_of({.4F, .5F, .1F}, {0, 0, 0}),  // no region changes the word
                   word_of({0, 0, 0}, {3, 2, 1})};       // all weight went elsewhere
  // The last region is padding: its effect is none, and it is not compared.
  caption.words.push_back(word_of({.6F, .4F, 0}, {1, 5, 9}));
  caption.words.back().map.mask = {1, 1, 0};
  MapView view;
  for (const DecodedWord& word : caption.words) view.push_back(word.map);
  AgreementMeasure measure;
  measure.add(caption, std::vector<std::pair<std::string, MapView>>{{"own", view}});
  REQUIRE(measure.maps().size() == 1);
  const MapAgreement& own = measure.maps()[0];
  CHECK(measure.words() == 3);
  CHECK(measure.left_out() == 2);
  CHECK(std::abs(own.rank.value() - (1.0 - 1 - 1) / 3) < 1e-12);
  CHECK(std::abs(own.same_region.value() - 1.0 / 3) < 1e-12);
  CHECK(std::abs(own.fall.value() - (3.0 + 1 + 1) / 3) < 1e-12);
  CHECK(std::abs(measure.largest_fall().value() - (3.0 + 3 + 5) / 3) < 1e-12);
  CHECK(std::abs(measure.chance().value() - (1.0 / 3 + 1.0 / 3 + 1.0 / 2) / 3) < 1e-12);
}

TEST_CASE("effects of the picture are what a painted picture gives") {
  const Experiment experiment(small_experiment());
  const Index number = 2;
  const SearchOptions search = experiment.request().search;
  std::vector<DecodedCaption> captions =
      decode_images(experiment.model, experiment.inputs, std::vector<Index>{number}, search, {});
  DecodedCaption& caption = captions[0];
  REQUIRE(caption.words.size() > 1);
  const Image picture = experiment.data.image(number);
  REQUIRE(picture.height == 32);  // as the network sees it, so that nothing is resized
  add_picture_effects(experiment.model, experiment.pipeline, picture, search, caption);
  const GridSize grid = experiment.model.grid();
  std::array<double, 3> mean{};
  for (std::size_t i = 0; i < picture.rgb.size(); ++i)
    mean[i % 3] += static_cast<double>(picture.rgb[i]) / (32 * 32);
  const std::vector<std::vector<int>> ids{caption_ids(caption)};
  const auto log_probs = [&](const Image& image) {
    InputBatch input(experiment.model.input_shape(), 1);
    experiment.pipeline.run(image, input.values_of(0));
    Arena arena;
    Tape tape(arena);
    tape.set_recording(false);
    tape.set_parameters(experiment.model.parameters().views());
    const SearchMember member{.decoder = &experiment.model.decoder(),
                              .parameters = experiment.model.parameters().views(),
                              .images = experiment.model.encode(tape, input.view()).values()};
    std::vector<double> out;
    const auto decoded = force_decode({&member, 1}, SpecialWords{},
                                      std::vector<std::vector<std::vector<int>>>{ids}, search, 0);
    for (const DecodedWord& word : decoded[0][0].words) out.push_back(word.log_prob);
    return out;
  };
  const std::vector<double> whole = log_probs(picture);
  const Index side = 32 / grid.rows;
  double most = 0;
  for (const Index cell : {Index{0}, grid.cols + 1, grid.cells() - 1}) {
    Image painted = picture;
    for (Index y = cell / grid.cols * side; y < (cell / grid.cols + 1) * side; ++y)
      for (Index x = cell % grid.cols * side; x < (cell % grid.cols + 1) * side; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          painted.pixel(y, x)[c] = static_cast<std::uint8_t>(std::lround(mean[c]));
    const std::vector<double> rest = log_probs(painted);
    for (std::size_t t = 0; t < caption.words.size(); ++t) {
      const double effect =
          static_cast<double>(caption.words[t].effects[static_cast<std::size_t>(cell)]);
      CHECK(std::abs(effect - (whole[t] - rest[t])) < 1e-4);
      most = std::max(most, std::abs(effect));
    }
  }
  CHECK(most > 1e-3);  // some cell matters

  SearchOptions drawn = search;
  drawn.regime = Regime::kSample;
  CHECK_THROWS_AS(
      add_picture_effects(experiment.model, experiment.pipeline, picture, drawn, caption),
      UsageError);
}

}  // namespace
}  // namespace saccade::test
