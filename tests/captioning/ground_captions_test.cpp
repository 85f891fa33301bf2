// Maps of forced decoding, and what an evaluation reports about boxes.
#include "captioning/study/evaluation/ground_captions.h"

#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "captioning/data/scenes/caption_checker.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/evaluation_table.h"
#include "core/base/table.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

SearchOptions greedy(Regime regime) {
  return {.mode = SearchMode::kGreedy, .max_length = 9, .regime = regime};
}

std::vector<int> ids_of(const DecodedCaption& caption) {
  std::vector<int> ids;
  for (const DecodedWord& word : caption.words) ids.push_back(word.id);
  return ids;
}

// Boxes of one noun of one image, in whatever caption it is.
class OneNoun : public PhotoBoxes {
 public:
  OneNoun(Index image, Rect box) : image_(image), box_(box) {}
  std::string description() const override { return "one noun"; }
  bool knows(Index image) const override { return image == image_; }
  std::vector<NounBoxes> nouns(Index image, std::span<const std::string> words,
                               const ImageSize&) const override {
    std::vector<NounBoxes> out;
    if (knows(image) && !words.empty()) out.push_back({words.size() - 1, {box_}});
    return out;
  }

 private:
  Index image_;
  Rect box_;
};

}  // namespace

TEST_CASE("captions that are given have the maps and probabilities that they have when searched") {
  const Experiment experiment(small_experiment("hard"));
  const Ensemble models(experiment.model);
  const std::vector<Index> images = images_of(experiment.data.dataset, Split::kVal);
  const auto few = std::span<const Index>(images).first(3);
  for (const Regime regime : {Regime::kExpectation, Regime::kArgmax, Regime::kMarginal}) {
    const std::vector<DecodedCaption> found =
        decode_images(models, experiment.inputs, few, greedy(regime), {});
    // Other captions beside them, longer and shorter, do not change them.
    std::vector<std::vector<std::vector<int>>> given;
    for (const DecodedCaption& caption : found)
      given.push_back({std::vector<int>(given.size() * 5, 4), ids_of(caption), {}});
    given.back().pop_back();
    const InputBatch batch = experiment.inputs.batch(few);
    const std::vector<InputView> views = {batch.view()};
    const auto decoded = EncodedPictures(models, views).force_decode(given, greedy(regime), 0);
    REQUIRE(decoded.size() == 3);
    CHECK(decoded[0].size() == 3);
    CHECK(decoded[2].size() == 2);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(ids_of(decoded[i][0]) == given[i][0]);
      const DecodedCaption& own = decoded[i][1];
      REQUIRE(ids_of(own) == ids_of(found[i]));
      for (std::size_t t = 0; t < own.words.size(); ++t) {
        CHECK(own.words[t].map.chosen == found[i].words[t].map.chosen);
        REQUIRE(own.words[t].map.weights.size() == found[i].words[t].map.weights.size());
        for (std::size_t l = 0; l < own.words[t].map.weights.size(); ++l)
          CHECK(own.words[t].map.weights[l] ==
                Approx(found[i].words[t].map.weights[l]).margin(1e-6));
      }
    }
  }
}

TEST_CASE("references are grounded in scenes, with the same scores for any number of threads") {
  const Experiment experiment(small_experiment());
  EvaluationRequest request = experiment.request(Split::kVal, 12);
  const auto first = same_for_threads([&] { return evaluation_json(experiment.run(request)); });
  const Json grounding = Json::parse(first).at("grounding");
  CHECK(grounding.at("images") == 12);
  CHECK(grounding.at("rules").at("pointing_tolerance") == 0.5);
  const Json& words = grounding.at("ground_truth_words");
  std::size_t captions = 0;
  Index nouns = 0;
  for (const Index image : evaluation_images(experiment.data.dataset, Split::kVal, 12))
    for (const SceneCaption& caption :
         experiment.data.scenes->captions[static_cast<std::size_t>(image)]) {
      ++captions;
      const Scene& scene = experiment.data.scenes->scenes[static_cast<std::size_t>(image)];
      nouns += std::ssize(check_caption(scene, caption.words).mentions);
    }
  CHECK(words.at("captions") == captions);
  CHECK(words.at("nouns") == nouns);  // every noun of a true caption is there
  CHECK(words.at("without_boxes") == 0);
  for (const char* side : {"model", "centre_bias", "uniform"})
    for (const std::string_view name : kMapMeasures) {
      const double value = words.at(side).at(std::string(name));
      CHECK((value >= 0 && value <= (name.ends_with("normalized") ? 64 : 1)));
    }
  const Json& model = words.at("model");
  const Json& uniform = words.at("uniform");
  CHECK(uniform.at("attention_correctness_normalized") == 1.0);
  CHECK(uniform.at("attention_correctness_over_uniform") == 1.0);
  CHECK(model.at("attention_correctness_over_uniform").get<double>() ==
        Approx(model.at("attention_correctness").get<double>() /
               uniform.at("attention_correctness").get<double>()));
  // The centre bias does not depend on the model, so another model has the same.
  ExperimentConfig other = experiment.config;
  other.seed = 9;
  const Experiment second(other);
  CHECK(Json::parse(evaluation_json(
            second.run(request)))["grounding"]["ground_truth_words"]["centre_bias"] ==
        words.at("centre_bias"));
  request.extent = Extent::kCompared;
  CHECK(Json::parse(evaluation_json(experiment.run(request)))["grounding"]["ground_truth_words"] ==
        words);
  request.extent = Extent::kCaptions;
  CHECK_FALSE(Json::parse(evaluation_json(experiment.run(request)))["grounding"].contains(
      "ground_truth_words"));
}

TEST_CASE("the headline of grounding has the interval of its images, each with all of its nouns") {
  const Experiment experiment(small_experiment());
  EvaluationRequest request = experiment.request();
  request.ablations = false;
  const EvaluationReport report = experiment.run(request);
  const ReferenceScores& references = report.grounding.value().references.value();
  // Correctness and the boxes' shares, summed over all captions of each image.
  std::vector<std::array<double, 2>> images;
  std::size_t caption = 0;
  for (const Index image : report.images) {
    std::array<double, 2>& sums = images.emplace_back();
    for (std::size_t k = 0;
         k < experiment.data.dataset.images[static_cast<std::size_t>(image)].captions.size();
         ++k, ++caption) {
      sums[0] += references.scores.sums[1][caption];
      sums[1] += references.scores.area_shares[caption];
    }
  }
  REQUIRE(caption == references.scores.nouns.size());
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> any(0, images.size() - 1);
  std::vector<double> quotients;
  for (int replicate = 0; replicate < 20000; ++replicate) {
    double inside = 0, area = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const auto& [own_inside, own_area] = images[any(random)];
      inside += own_inside, area += own_area;
    }
    quotients.push_back(inside / area);
  }
  std::sort(quotients.begin(), quotients.end());
  const double low = quotients[500], high = quotients[19499];

  const std::string name(kCorrectnessOverUniform);
  const Json json = Json::parse(evaluation_json(report));
  const Json& words = json.at("grounding").at("ground_truth_words");
  const Json& interval = words.at("intervals").at(name);
  CHECK(words.at("intervals").size() == 1);
  CHECK(interval.at("low").get<double>() == Approx(low).margin(0.1 * (high - low)));
  CHECK(interval.at("high").get<double>() == Approx(high).margin(0.1 * (high - low)));
  CHECK(low < words.at("model").at(name));
  const std::string cell = str(fixed(words.at("model").at(name)), " [", fixed(interval.at("low")),
                               ", ", fixed(interval.at("high")), "]");
  const std::string table = evaluation_table(report);
  const std::size_t row = table.find("\ncorrectness / uniform, references' words");
  REQUIRE(row != std::string::npos);
  CHECK_THAT(table.substr(row, table.find('\n', row + 1) - row), Catch::Contains(cell));
  // What the words of the model are above the centre is computed once, for table and JSON.
  for (std::size_t r = 0; r < report.regimes.size(); ++r) {
    const RegimeReport& regime = report.regimes[r];
    CHECK(regime.against_centre.size() == regime.grounding->against_centre().size());
  }
  // One image says nothing about others.
  request.most_images = 1;
  CHECK_FALSE(
      Json::parse(evaluation_json(experiment.run(request)))["grounding"]["ground_truth_words"]
          .contains("intervals"));
}

TEST_CASE(
    "boxes of photos give the scores that those of scenes give, only for images that they know") {
  Experiment experiment(small_experiment());
  EvaluationRequest request = experiment.request(Split::kVal, 6);
  const Index image = evaluation_images(experiment.data.dataset, Split::kVal, 6)[2];
  const OneNoun whole(image, {0, 0, 32, 32}), outside(image, {40, 40, 8, 8});
  request.boxes = &whole;
  CHECK_THROWS_AS(experiment.run(request), ShapeError);  // scenes have boxes of their own
  experiment.data.scenes.reset();
  const EvaluationReport report = experiment.run(request);
  const GroundingScores& generated = report.regimes[0].grounding.value();
  const GroundingScores& references = report.grounding.value().references.value().scores;
  CHECK(report.grounding->images == 1);
  CHECK(generated.nouns == std::vector<double>{0, 0, 1, 0, 0, 0});
  CHECK(references.nouns.size() ==
        experiment.data.dataset.images[static_cast<std::size_t>(image)].captions.size());
  for (const GroundingScores* scores : {&generated, &references})
    for (const auto& [name, value] : scores->model_scores())
      if (name != "loc_accuracy") CHECK(value == Approx(1));  // the box is the whole picture
  const std::string table = evaluation_table(report);
  CHECK(table.find("boxes of one noun: 1 of 6 images") != std::string::npos);
  CHECK(table.find("expectation: 1 nouns with boxes, 0 without") != std::string::npos);
  std::vector<std::string> metrics;
  for (const ImageStatistics& one : report.regimes[0].metrics) metrics.push_back(one.metric);
  for (const std::string_view name : kMapMeasures)
    CHECK(std::count(metrics.begin(), metrics.end(), name) == 1);
  request.boxes = &outside;
  const GroundingScores unseen = experiment.run(request).regimes[0].grounding.value();
  CHECK(unseen.pointing.words == 0);
  CHECK(unseen.pointing.without_boxes == 1);
}

TEST_CASE("boxes are cut to what the network saw") {
  Geometry crop = plan_geometry(40, 80, {.height = 32, .width = 32, .mode = ResizeMode::kCrop});
  const auto at = [&](const Rect& box) { return seen_boxes(std::vector<Rect>{box}, crop); };
  CHECK(at({0, 0, 20, 40}).empty());  // the crop begins at x = 20
  REQUIRE(at({10, 10, 20, 10}).size() == 1);
  const Rect cut = at({10, 10, 20, 10})[0];
  CHECK(cut.x == 0);
  CHECK(cut.width == Approx(8));
  CHECK(cut.y == Approx(8));
  CHECK(cut.height == Approx(8));
  crop.mirrored = true;
  CHECK(at({10, 10, 20, 10})[0].x == Approx(24));
  CHECK(at({10, 10, 20, 10})[0].width == Approx(8));

  const Geometry pad = plan_geometry(40, 80, {.height = 32, .width = 32, .mode = ResizeMode::kPad});
  const AttentionGrid cells = cells_of({{.rows = 4, .cols = 4}}, pad);
  CHECK(cells.shown().y == Approx(8));
  CHECK(cells.shown().height == Approx(16));
  const Rect all = seen_boxes(std::vector<Rect>{{0, 0, 80, 40}}, pad)[0];
  CHECK(BoxedWord(cells, std::vector<Rect>{all}).area_share() == Approx(1));
}

}  // namespace saccade::test
