// Ensembles of captioners: which models may join, whose maps are shown, and what a report has of
// them.
#include "captioning/model/decoding/ensemble.h"

#include <nlohmann/json.hpp>

#include "captioning/model/decoding/whole_words.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

ExperimentConfig config_of(std::int64_t seed, const std::string& score = "additive",
                           std::int64_t image_size = 32) {
  ExperimentConfig config = small_experiment();
  config.seed = seed;
  config.attention.score = score;
  if (score == "none") config.attention.gate = "none";
  config.encoder.image_size = image_size;
  return config;
}

OpenModel member(const Experiment& of, const std::string& name) {
  return {.name = name, .model = borrowed(of.model), .pipeline = borrowed(of.pipeline)};
}

}  // namespace

TEST_CASE("an ensemble shows the maps of members with attention if their cells lie alike") {
  const Experiment first(config_of(1)), second(config_of(2)), fine(config_of(3, "additive", 64)),
      blind(config_of(4, "none"));
  using Shown = std::vector<std::size_t>;
  const auto shown = [&](std::vector<OpenModel> members) {
    const Ensemble models(std::move(members));
    return Shown(models.shown().begin(), models.shown().end());
  };
  CHECK(shown({member(first, "a"), member(second, "b")}) == Shown{0, 1});
  CHECK(shown({member(fine, "a"), member(second, "b"), member(first, "c")}) == Shown{0});
  CHECK(shown({member(blind, "a"), member(second, "b"), member(first, "c")}) == Shown{1, 2});
  CHECK(shown({member(blind, "a"), member(blind, "b")}) == Shown{0});
  // A crop around the centre does not show all of a picture.
  OpenModel cropped = member(second, "b");
  EncoderConfig crop = second.config.encoder;
  crop.resize = ResizeMode::kCrop;
  cropped.pipeline = std::make_shared<InputPipeline>(crop);
  CHECK(shown({member(first, "a"), cropped}) == Shown{0});
}

TEST_CASE("members have the same vocabulary") {
  ExperimentConfig fewer = config_of(2);
  fewer.data.min_count = 20;
  const Experiment first(config_of(1)), second(fewer);
  REQUIRE(first.model.vocabulary().size() != second.model.vocabulary().size());
  CHECK_THROWS_AS(Ensemble({member(first, "a"), member(second, "b")}), UsageError);
}

TEST_CASE("a report of an ensemble names its members and has the perplexity of the mean") {
  const Experiment first(config_of(1)), second(config_of(2, "scaled_dot", 64));
  const Ensemble both({member(first, "a"), member(second, "b")});
  const EnsembleInputs inputs(std::vector<const DatasetInputs*>{&first.inputs, &second.inputs});
  EvaluationRequest request = first.request(Split::kVal, 6);
  request.ablations = false;
  const EvaluationReport report = evaluate(both, first.data, inputs, request);
  CHECK(report.members == std::vector<std::string>{"a", "b"});
  CHECK(nlohmann::json::parse(evaluation_json(report)).at("members").size() == 2);
  CHECK_FALSE(nlohmann::json::parse(evaluation_json(first.run(request))).contains("members"));

  const auto log_perplexity = [&](const Ensemble& models, const EnsembleInputs& seen) {
    return std::log(
        measure_perplexity(models, first.data.dataset, seen, report.images, {}).value());
  };
  const double a = log_perplexity(first.model, first.inputs),
               b = log_perplexity(second.model, second.inputs), mean = log_perplexity(both, inputs);
  CHECK(mean < (a + b) / 2);
  CHECK(mean > std::min(a, b) - std::log(2.0));
  const Ensemble twice({member(first, "a"), member(first, "a")});
  const EnsembleInputs same(std::vector<const DatasetInputs*>{&first.inputs, &first.inputs});
  CHECK(log_perplexity(twice, same) == Approx(a).epsilon(1e-9));
}

TEST_CASE("pictures that are encoded once have the captions of pictures that are encoded anew") {
  const Experiment first(config_of(1)), second(config_of(2));
  const Ensemble both({member(first, "a"), member(second, "b")});
  Tensor pixels({2, 32, 32, 3});
  for (Index i = 0; i < pixels.size(); ++i) pixels.data()[i] = static_cast<Real>(i % 97) / 97;
  const std::vector<InputView> inputs(2, InputView(ConstView(pixels.view())));
  const EncodedPictures pictures(both, inputs);
  SearchOptions search = search_options(first.config, first.config.search, both.vocabulary());
  for (const Regime regime : {Regime::kExpectation, Regime::kArgmax, Regime::kExpectation}) {
    search.regime = regime;
    const auto once = pictures.caption(search, 3),
               anew = EncodedPictures(both, inputs).caption(search, 3);
    REQUIRE(once.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(once[i].log_prob == anew[i].log_prob);
      REQUIRE(once[i].words.size() == anew[i].words.size());
      for (std::size_t w = 0; w < once[i].words.size(); ++w) {
        CHECK(once[i].words[w].id == anew[i].words[w].id);
        CHECK(once[i].words[w].map.weights == anew[i].words[w].map.weights);
      }
    }
  }
}

TEST_CASE("a transformer's large pictures have the encodings that each has by itself") {
  ExperimentConfig config = small_experiment();
  config.data.scenes = {.train = 8, .val = 1, .test = 1, .size = 32};
  config.encoder.type = "vit";
  config.encoder.image_size = 304;
  config.encoder.vit = {.width = 8, .layers = 2, .heads = 2, .patch = 38, .class_token = true};
  config.encoder.pooled = PooledKind::kClassToken;
  config.decoder.first_state = FirstState::kPooled;
  const LoadedData data = load_data(config.data);
  const CaptionModel model(config, training_vocabulary(data, config.data), {});
  const Ensemble models(model);
  Tensor pixels({3, 304, 304, 3});
  for (Index i = 0; i < pixels.size(); ++i) pixels.data()[i] = static_cast<Real>(i % 1013) / 1013;
  const InputView all{ConstView(pixels.view())};
  const EncodedPictures together(models, {&all, 1});
  const EncodedValues& got = together.members()[0].images;
  REQUIRE(got.features.shape == Shape({3, 64, 8}));
  REQUIRE(got.pooled.shape == Shape({3, 8}));
  for (Index i = 0; i < 3; ++i) {
    const InputView one{ConstView(pixels.data() + i * 304 * 304 * 3, {1, 304, 304, 3})};
    const EncodedPictures alone(models, {&one, 1});
    const EncodedValues& want = alone.members()[0].images;
    CHECK(std::equal(want.features.data, want.features.data + 64 * 8,
                     got.features.data + i * 64 * 8));
    CHECK(std::equal(want.pooled.data, want.pooled.data + 8, got.pooled.data + i * 8));
  }
}

TEST_CASE("pieces of a word become one word with the mean of their maps") {
  std::vector<Words> captions(3, Words{"runs", "run", "in", "sun"});
  const Vocabulary pieces = Vocabulary::pieces(captions, 14);
  const std::vector<Index> ids = pieces.encode(Words{"run", "unsnr"});
  const std::size_t first = pieces.encode(Words{"run"}).size();
  REQUIRE(ids.size() > first + 1);
  DecodedCaption caption;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto weight = static_cast<float>(i);
    caption.words.push_back({.id = static_cast<int>(ids[i]),
                             .log_prob = -1,
                             .map = {.weights = {weight, 1 - weight},
                                     .gate = static_cast<double>(i),
                                     .chosen = i < first ? 1 : static_cast<int>(i)}});
    caption.words.back().parts = {caption.words.back().map};
  }
  caption.others.push_back(caption);
  put_together(caption, pieces);
  for (const DecodedCaption* one : {&std::as_const(caption), &std::as_const(caption).others[0]}) {
    REQUIRE(one->words.size() == 2);
    const DecodedWord &run = one->words[0], &rest = one->words[1];
    CHECK(word_text(run, pieces) == "run");
    CHECK(word_text(rest, pieces) == "unsnr");
    CHECK(run.map.chosen == 1);
    CHECK(run.pieces.size() == first);
    CHECK(rest.pieces ==
          std::vector<int>(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end()));
    CHECK(rest.log_prob == -static_cast<double>(ids.size() - first));
    const double mean = static_cast<double>(first + ids.size() - 1) / 2;
    REQUIRE(rest.parts.size() == 1);
    for (const AttentionMap* map : {&rest.map, &rest.parts[0]}) {
      CHECK(map->gate.value() == Approx(mean));
      CHECK(map->weights[0] == Approx(mean));
      CHECK(map->chosen == -1);
    }
  }
  // The alternative has the same words, whatever its pieces were.
  caption.others.push_back(caption.others[0]);
  caption.others.back().words.pop_back();
  drop_repeated(caption);
  REQUIRE(caption.others.size() == 1);
  CHECK(caption.others[0].words.size() == 1);
}

}  // namespace saccade::test
