// Evaluation: scores of captions made by hand, reports, and a small random model with several
// numbers of threads.
#include <nlohmann/json.hpp>

#include "captioning/model/maps/caption_json.h"
#include "captioning/scoring/metrics/bleu.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/evaluation_table.h"
#include "captioning/study/evaluation/scene_scores.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::evaluation_test {
namespace {

using Json = nlohmann::json;

// A red circle in the top left quarter and a blue square in the bottom right quarter, 64 x 64.
Scene two_objects() {
  Scene scene;
  scene.objects = {{.shape = ObjectShape::kCircle,
                    .colour = ObjectColour::kRed,
                    .size = ObjectSize::kLarge,
                    .box = {8, 8, 16, 16}},
                   {.shape = ObjectShape::kSquare,
                    .colour = ObjectColour::kBlue,
                    .size = ObjectSize::kLarge,
                    .box = {40, 40, 16, 16}}};
  return scene;
}

constexpr GridSize kGrid{.rows = 8, .cols = 8};

Geometry plain_geometry() { return plan_geometry(64, 64, {.height = 32, .width = 32}); }

struct MappedCaption {
  std::vector<std::string> words;
  DecodedCaption decoded;
};

// A caption with the maps of its words. Each map has its peak at one cell.
MappedCaption mapped_caption(const std::vector<std::pair<std::string, Index>>& words_and_cells) {
  MappedCaption caption;
  for (const auto& [word, cell] : words_and_cells) {
    DecodedWord decoded;
    decoded.map.weights.assign(static_cast<std::size_t>(kGrid.cells()), 0.01F);
    decoded.map.layout = {kGrid};
    decoded.map.weights[static_cast<std::size_t>(cell)] = 0.5F;
    caption.words.push_back(word);
    caption.decoded.words.push_back(decoded);
  }
  return caption;
}

SceneScores score(const MappedCaption& caption, const Geometry& geometry = plain_geometry()) {
  SceneScores scores;
  scores.add(two_objects(), caption.words, caption.decoded, geometry);
  return scores;
}

// Cells have 8 pixels of the scene: 9 is row 1, column 1, inside the circle's box; 45 is row 5,
// column 5, inside the square's box.
TEST_CASE("a true caption that attends to what it names gets full scores") {
  const SceneScores scores = score(mapped_caption(
      {{"a", 0}, {"red", 0}, {"circle", 9}, {"and", 0}, {"a", 0}, {"blue", 0}, {"square", 45}}));
  CHECK(scores.true_caption_rate() == 1);
  CHECK(scores.parsed_rate() == 1);
  CHECK(scores.grounding.pointing.words == 2);
  CHECK(scores.grounding.pointing.accuracy() == 1);
  CHECK(scores.grounding.pointing_centre.accuracy() == 1);
  CHECK(scores.grounding.pointing_chosen.words == 0);
  CHECK(scores.grounding.has_maps);
}

TEST_CASE("pointing counts only the noun's own objects") {
  // The map of the circle lies on the square, and then right beside the circle's box.
  CHECK(score(mapped_caption({{"a", 9}, {"circle", 45}})).grounding.pointing.accuracy() == 0);
  CHECK(score(mapped_caption({{"a", 9}, {"circle", 11}})).grounding.pointing.accuracy() == 0);
  // A false caption still has nouns that name something; "green star" names nothing.
  const SceneScores wrong = score(mapped_caption(
      {{"a", 0}, {"blue", 0}, {"square", 45}, {"and", 0}, {"a", 0}, {"green", 0}, {"star", 9}}));
  CHECK(wrong.true_caption_rate() == 0);
  CHECK(wrong.parsed_rate() == 1);
  CHECK(wrong.grounding.pointing.words == 1);
  CHECK(wrong.grounding.pointing.hits == 1);
  CHECK(wrong.grounding.pointing.without_boxes == 1);
  const SceneScores nonsense = score(mapped_caption({{"circle", 9}, {"a", 9}}));
  CHECK(nonsense.parsed_rate() == 0);
  CHECK(nonsense.grounding.pointing.words == 0);
}

TEST_CASE("with the tolerance, a cell only has to overlap the box") {
  Scene scene = two_objects();
  scene.objects[0].box = {13, 8, 8, 8};  // columns 1 and 2; only column 2 has its centre inside
  const MappedCaption caption = mapped_caption({{"a", 0}, {"circle", 9}});
  SceneScores scores;
  scores.add(scene, caption.words, caption.decoded, plain_geometry());
  CHECK(scores.grounding.pointing.accuracy() == 1);
  CHECK(scores.grounding.pointing_centre.accuracy() == 0);
}

TEST_CASE(
    "boxes follow crop and mirror, sampled cells are counted separately, flat maps are noticed") {
  Geometry geometry = plain_geometry();
  geometry.mirrored = true;  // row 1, column 1 is seen at row 1, column 6
  CHECK(score(mapped_caption({{"a", 0}, {"circle", 14}}), geometry).grounding.pointing.accuracy() ==
        1);
  CHECK(score(mapped_caption({{"a", 0}, {"circle", 9}}), geometry).grounding.pointing.accuracy() ==
        0);
  geometry = plain_geometry();
  geometry.seen = {8, 8, 32, 32};  // the circle fills the top left quarter of what is seen
  CHECK(score(mapped_caption({{"a", 0}, {"circle", 0}}), geometry)
            .grounding.pointing_centre.accuracy() == 1);
  CHECK(score(mapped_caption({{"a", 0}, {"circle", 5}}), geometry)
            .grounding.pointing_centre.accuracy() == 0);

  MappedCaption caption = mapped_caption({{"a", 0}, {"circle", 9}});
  caption.decoded.words[1].map.chosen = 45;
  CHECK(score(caption).grounding.pointing.accuracy() == 1);
  CHECK(score(caption).grounding.pointing_chosen.words == 1);
  CHECK(score(caption).grounding.pointing_chosen.accuracy() == 0);
  for (DecodedWord& word : caption.decoded.words)
    std::fill_n(word.map.weights.begin(), 64, 1.0F / 64);
  CHECK_FALSE(score(caption).grounding.has_maps);
}

std::string everything(const EvaluationReport& report, const CaptionModel& model) {
  std::string out = evaluation_json(report);
  for (const RegimeReport& regime : report.regimes) {
    std::vector<CaptionRecord> records;
    for (const DecodedCaption& caption : regime.captions)
      records.push_back({.image = "x", .caption = caption, .geometry = plain_geometry()});
    out += captions_json(records, {.vocabulary = &model.vocabulary(), .layout = {model.grid()}});
  }
  return out;
}

TEST_CASE("captions, maps and scores have the same bits for any number of threads") {
  const Experiment experiment(small_experiment("hard"));
  same_for_threads([&] { return everything(experiment.run(), experiment.model); });
}

TEST_CASE("images are decoded in groups of like size") {
  const Experiment experiment(small_experiment());
  const EnsembleInputs inputs(experiment.inputs);
  std::vector<Index> images = images_of(experiment.data.dataset, Split::kTrain);
  for (const auto& [count, largest] : {std::pair<Index, Index>{3, 3}, {8, 8}, {9, 5}, {20, 5}}) {
    Index before = 0, most = 0;
    const std::vector<Index> some(images.begin(), images.begin() + count);
    decode_images(Ensemble(experiment.model), inputs, some, experiment.request().search,
                  [&](Index done, Index total) {
                    CHECK(total == count);
                    most = std::max(most, done - before);
                    before = done;
                  });
    CHECK(before == count);
    CHECK(most == largest);
  }
}

// tests/cli/reports.sh knows the keys.
TEST_CASE("a report has the scores of its captions, with intervals, headlines first") {
  const Experiment experiment(small_experiment("hard"));
  const EvaluationReport report = experiment.run(Split::kVal, 12);
  const Json json = Json::parse(evaluation_json(report));
  REQUIRE(json.at("regimes").size() == 4);
  const std::optional<std::string> dead = dead_attention(report.attention.value());
  CHECK(json.at("attention_health").at("dead") == (dead ? Json(*dead) : Json()));
  // Where no caption names a noun, there are no shares of nouns.
  for (const Json& regime : json.at("regimes"))
    CHECK(regime.at("corpus").contains("pointing_accuracy") ==
          (regime.at("corpus").at("pointing_nouns") > 0));
  CHECK(json.at("regimes")[0].at("name") == "argmax");
  CHECK(json.at("regimes")[2].at("name") == "sample");
  CHECK(json.at("regimes")[3].at("name") == "marginal");

  // The scores are those of the captions that are kept.
  const RegimeReport& first = report.regimes[0];
  std::vector<std::vector<Words>> references;
  for (const Index image : report.images) {
    references.emplace_back();
    for (const SceneCaption& caption :
         experiment.data.scenes->captions[static_cast<std::size_t>(image)])
      references.back().push_back(caption.words);
  }
  WordNumbers numbers;
  const BleuScores bleu = score_bleu(count_bleu(count_corpus(first.words, references, numbers)));
  const std::map<std::string, double> scores = first_scores(report);
  CHECK(scores.at("Bleu_1") == bleu.bleu[0]);
  CHECK(scores.at("Bleu_4_no_bp") == bleu.no_bp[3]);
  CHECK(scores.at("unique_captions") > 0.2);  // so that the model can be judged by something
  CHECK(scores.at("mean_length") > 1);

  // Headlines have intervals over the images, in the table and in the JSON; details have none.
  const Json& intervals = json.at("regimes")[0].at("intervals");
  CHECK(intervals.at("CIDEr").at("low") <= scores.at("CIDEr"));
  CHECK(intervals.at("CIDEr").at("low") < intervals.at("CIDEr").at("high"));
  CHECK_FALSE(intervals.contains("Bleu_1"));

  const std::string table = evaluation_table(report);
  for (const char* piece : {"val: 12 images, beam 3", "in brackets: 95 %", "argmax", "expectation",
                            "BLEU-4, no penalty"})
    CHECK(table.find(piece) != std::string::npos);
  // The headlines come first, and with them what other sections measure.
  const std::size_t details = table.find("\ndetails");
  for (const char* name :
       {"\nCIDEr ", "\nperplexity", "\ntrue captions", "\nmap entropy",
        "\nCIDEr lost by shuffled maps", "\ncorrectness / uniform, references' words"}) {
    INFO(name);
    CHECK(table.find(name) < details);
  }
  for (const char* name : {"\nBLEU-1 ", "\nunknown words", "\nunderstood captions"})
    CHECK((table.find(name) > details && table.find(name) != std::string::npos));
  const Json results = Json::parse(coco_results(report, first));
  REQUIRE(results.size() == 12);
  CHECK(results[3].at("image_id") == report.numbers[3]);
  CHECK(results[3].at("caption").is_string());
}

TEST_CASE("a model without attention is not judged by its maps") {
  ExperimentConfig config = small_experiment();
  config.attention.score = "none";
  const Experiment experiment(config);
  const auto scores = first_scores(experiment.run());
  CHECK(scores.contains("true_caption_rate"));
  CHECK_FALSE(scores.contains("pointing_accuracy"));
}

TEST_CASE("images that cannot be read and empty splits") {
  Dataset dataset{.name = "few", .images = {}, .digest = "", .notes = {}};
  CHECK(message_of<DataError>([&] {
          evaluation_images(dataset, Split::kVal, 0);
        }).find("no images at all") != std::string::npos);
  dataset.images.resize(5);
  CHECK(evaluation_images(dataset, Split::kTrain, 2) == std::vector<Index>{0, 1});
  CHECK(evaluation_images(dataset, Split::kTrain, 0).size() == 5);
  const std::string message =
      message_of<DataError>([&] { evaluation_images(dataset, Split::kTest, 0); });
  CHECK(message.find("split test; it has train") != std::string::npos);
}

TEST_CASE("a caption as JSON has its words, maps and geometry") {
  const Vocabulary vocabulary(
      std::vector<std::string>{"<pad>", "<bos>", "<eos>", "<unk>", "кот", "sits"});
  CaptionRecord record{.image = "bad\xff\"name", .caption = {}, .geometry = {}};
  record.geometry = plan_geometry(30, 60, {.height = 16, .width = 16, .mode = ResizeMode::kCrop});
  record.caption.finished = true;
  record.caption.words = {
      {.id = 4,
       .log_prob = -0.25,
       .map = {.weights = {0.1F, 0.2F, 0.3F, 0.2F, 0.1F, 0.1F}, .layout = {{2, 3}}, .gate = 0.5}},
      {.id = 5,
       .log_prob = -1,
       .map = {.weights = {1, 0, 0, 0, 0, 0}, .layout = {{2, 3}}, .gate = 1, .chosen = 5}}};
  CaptionSource source{
      .vocabulary = &vocabulary, .layout = {{.rows = 2, .cols = 3}}, .regime = Regime::kSample};
  const std::vector<CaptionRecord> records{record, record};
  const Json json = Json::parse(captions_json(records, source));
  REQUIRE(json.size() == 2);
  const Json& one = json[0];
  CHECK(one.at("caption") == "кот sits");
  CHECK(one.at("finished") == true);
  CHECK(one.at("grid") == Json({{"rows", 2}, {"cols", 3}, {"cells", {0, 0, 3, 2}}}));
  CHECK(one.at("geometry").at("original") == Json({30, 60}));
  CHECK(one.at("geometry").at("resize") == "crop");
  CHECK(one.at("geometry").at("seen").at("x") == 15);
  const Json& words = one.at("words");
  REQUIRE(words.size() == 2);
  CHECK(words[0].at("text") == "кот");
  CHECK(words[0].at("logprob") == -0.25);
  CHECK(words[0].at("gate") == 0.5);
  CHECK(words[0].at("sampled").is_null());
  CHECK(words[1].at("sampled") == Json({1, 2}));
  CHECK(words[1].at("entropy") == 0);
  CHECK(words[0].at("attention").dump() == "[[0.1,0.2,0.3],[0.2,0.1,0.1]]");
  CHECK(words[0].at("sentinel").is_null());
  record.caption.words[0].map.gate.reset();
  record.caption.words[0].map.sentinel = 0.25;
  CHECK(caption_json(record, source).at("words")[0].at("sentinel") == 0.25);
  CHECK(caption_json(record, source).at("words")[0].at("gate").is_null());
  CHECK(captions_json({}, source) == "[]\n");
}

TEST_CASE(
    "a map whose largest weight is three times the smallest may be uniform, in the JSON, too") {
  // 64 cells with the weights 2 and, at four corners, 1 and 3.
  std::vector<float> weights(64, 2.0F / 128);
  weights[0] = weights[7] = 1.0F / 128;
  weights[56] = weights[63] = 3.0F / 128;
  const AttentionMap nearly{.weights = weights, .layout = {{.rows = 8, .cols = 8}}};
  AttentionMap peaked = nearly;
  peaked.weights.assign(64, 0);
  peaked.weights[9] = 1;
  const double entropy = map_entropy(nearly).value();
  CHECK(entropy > 0.995);
  CHECK(entropy < 0.9999);
  CHECK(is_uniform(nearly));
  CHECK_FALSE(is_uniform(peaked));

  const Vocabulary vocabulary(
      std::vector<std::string>{"<pad>", "<bos>", "<eos>", "<unk>", "cat", "sits"});
  CaptionRecord record{.image = "", .caption = {}, .geometry = plain_geometry()};
  record.caption.words = {{.id = 4, .log_prob = -1, .map = nearly},
                          {.id = 5, .log_prob = -1, .map = peaked}};
  record.views = {{nearly, peaked}};
  record.class_token = {{peaked}};
  const CaptionSource source{.vocabulary = &vocabulary, .layout = {kGrid}};
  for (const CaptionForm form : {CaptionForm::kFull, CaptionForm::kPacked}) {
    const Json json = caption_json(record, source, form);
    CHECK(json.at("words")[0].at("uniform") == true);
    CHECK(json.at("words")[1].at("uniform") == false);
    const Json& view = json.at("maps")[0];
    CHECK(view.at("uniform") == Json({true, false}));
    CHECK(view.at("entropy")[0].get<double>() == Approx(entropy).margin(5e-5));
    CHECK(view.at("entropy")[1] == 0);
    CHECK(json.at("class_token")[0].at("uniform") == Json({false}));
    // A number that no map of a view has is null, or left out.
    CHECK(view.contains("sentinel") == (form == CaptionForm::kFull));
  }
  record.views[0][1].sentinel = 0.25;
  CHECK(Json(caption_json(record, source)).at("maps")[0].at("sentinel") == Json({nullptr, 0.25}));
  // A map without weight has no entropy, and is not uniform.
  record.caption.words[0].map.weights.assign(64, 0);
  const Json full = caption_json(record, source);
  CHECK(full.at("words")[0].at("entropy").is_null());
  CHECK(full.at("words")[0].at("uniform") == false);
}

}  // namespace
}  // namespace saccade::test::evaluation_test
