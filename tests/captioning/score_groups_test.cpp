// Scores of groups of images: the groups, what puts an image into one, and scores that are those of
// the group's images by themselves.
#include "captioning/evaluation/score_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "captioning/evaluation/evaluation_report.h"
#include "captioning/evaluation/evaluation_table.h"
#include "captioning/scoring/caption_scores.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Json = nlohmann::json;

TEST_CASE("few values make a group each, and many make groups of about equal size") {
  const std::vector<double> few{3, 1, kNone, 3, 2};
  CHECK(value_groups(few) == std::vector<int>{2, 0, -1, 2, 1});
  std::vector<double> many;
  for (int i = 0; i < 100; ++i) many.push_back(99 - i);
  const std::vector<int> groups = value_groups(many);
  for (int g = 0; g < 5; ++g) CHECK(std::count(groups.begin(), groups.end(), g) == 20);
  CHECK(groups.front() == 4);
  CHECK(groups.back() == 0);
  // Equal values stay together, however many they are.
  std::vector<double> same(90, 1);
  for (int i = 0; i < 10; ++i) same.push_back(2 + i);
  const std::vector<int> together = value_groups(same);
  for (std::size_t i = 0; i < 90; ++i) CHECK(together[i] == 0);
  for (std::size_t i = 90; i < 100; ++i) CHECK(together[i] == 1);
  CHECK(value_groups({}).empty());
}

TEST_CASE("an image is long by its references, and rare by the words of the training captions") {
  LoadedData data;
  Dataset& dataset = data.dataset;
  const auto add = [&](Split split, std::vector<std::string> captions) {
    dataset.images.push_back({.id = std::to_string(dataset.images.size()),
                              .path = "",
                              .split = split,
                              .captions = std::move(captions)});
  };
  // 94 times a, 5 times b, once c: c alone is at most 5 % of the text, b with it is more.
  std::string text;
  for (int i = 0; i < 94; ++i) text += "a ";
  add(Split::kTrain, {text, "b b b b b c"});
  add(Split::kVal, {"a b", "a c c d"});
  add(Split::kVal, {"A b, b."});
  const std::vector<Index> images{1, 2};
  const std::vector<ImageTraits> traits = image_traits(data, images, {});
  REQUIRE(traits.size() == 2);
  CHECK(traits[0].by == GroupBy::kLength);
  CHECK(traits[0].values == std::vector<double>{3, 3});
  CHECK(traits[1].by == GroupBy::kRareWords);
  CHECK(traits[1].values == std::vector<double>{0.5, 0});  // c, c and d, which training lacks
  dataset.images.erase(dataset.images.begin());
  CHECK(image_traits(data, std::vector<Index>{0}, {}).size() == 1);  // nothing to count
}

TEST_CASE("texts are grouped by their tokens, and exact matches are their headline") {
  const Experiment experiment(small_text_experiment());
  const std::vector<Index> texts = images_of(experiment.data.dataset, Split::kVal);
  const std::vector<ImageTraits> traits = image_traits(experiment.data, texts, {});
  REQUIRE(traits.size() == 1);
  CHECK(traits[0].by == GroupBy::kLength);
  for (std::size_t i = 0; i < texts.size(); ++i)
    CHECK(traits[0].values[i] ==
          static_cast<double>(experiment.data.text(texts[i])->tokens.size()));
  const EvaluationReport report = experiment.run();
  CHECK(report.texts);
  REQUIRE(report.regimes[0].groups.size() == 1);
  CHECK(report.regimes[0].groups[0].text == "tokens of the text");
  for (const ScoreGroup& group : report.regimes[0].groups[0].groups) {
    std::vector<std::string> names;
    for (const GroupScore& one : group.scores) names.push_back(one.metric);
    CHECK(names.front() == "exact_match");
    for (const char* other : {"Bleu_4", "METEOR", "CIDEr"})
      CHECK(std::find(names.begin(), names.end(), other) == names.end());
  }
}

TEST_CASE("the scores of a group are those of its images by themselves") {
  const std::vector<std::string> candidates{"a red cross", "two blue hearts", "a cross and a heart",
                                            "one small star"};
  const std::vector<std::vector<std::string>> references{{"a red cross", "a cross"},
                                                         {"two blue hearts and a star"},
                                                         {"a green cross and a small heart"},
                                                         {"a small yellow star"}};
  const CaptionScores all = score_captions(candidates, references, {});
  const std::vector<ImageTraits> traits{{.by = GroupBy::kObjects, .values = {1, 2, 2, 1}},
                                        {.by = GroupBy::kLength, .values = {7, 7, 7, 7}}};
  const std::vector<ScoreGrouping> groupings = group_scores(all.metrics, traits);
  REQUIRE(groupings.size() == 1);  // all images have the same length
  REQUIRE(groupings[0].groups.size() == 2);
  const ScoreGroup& second = groupings[0].groups[1];
  CHECK(second.images == 2);
  CHECK(second.mean == 2);
  CHECK(second.name(GroupBy::kObjects) == "2");
  const CaptionScores alone = score_captions(std::vector{candidates[1], candidates[2]},
                                             std::vector{references[1], references[2]}, {});
  bool bleu = false, cider = false;
  for (const GroupScore& one : second.scores) {
    // Two images give no interval.
    CHECK(std::isnan(one.low));
    CHECK(std::isnan(one.high));
    for (const auto& [name, score] : alone.corpus())
      if (name == one.metric && name == "Bleu_4") {
        bleu = true;
        CHECK(std::abs(score - one.score) < 1e-12);
      }
    // CIDEr weighs words by all images, so it is the mean of what these images have there.
    for (std::size_t m = 0; m < all.metrics.size(); ++m)
      if (one.metric == "CIDEr" && all.metrics[m].metric == "CIDEr") {
        cider = true;
        CHECK(std::abs((all.of_image(m, 1) + all.of_image(m, 2)) / 2 - one.score) < 1e-12);
      }
  }
  CHECK(bleu);
  CHECK(cider);
  CHECK(ScoreGroup{.low = 2, .high = 3.26}.name(GroupBy::kLength) == "2 to 3.3");
  CHECK(ScoreGroup{.low = 0.1, .high = 0.25}.name(GroupBy::kRareWords) == "10 % to 25 %");
}

TEST_CASE("an evaluation groups all of its images, with one group for each number of objects") {
  const Experiment experiment(small_experiment());
  EvaluationRequest request = experiment.request();
  request.ablations = false;
  const EvaluationReport report = experiment.run(request);
  const Json json = Json::parse(evaluation_json(report));
  const Json& groupings = json.at("regimes")[0].at("groups");
  bool objects = false;
  for (const Json& grouping : groupings) {
    std::size_t images = 0;
    double last = -1;
    for (const Json& group : grouping.at("groups")) {
      images += group.at("images").get<std::size_t>();
      CHECK(group.at("low") > last);
      last = group.at("high");
      CHECK(group.at("scores").contains("CIDEr"));
      CHECK(group.at("scores").contains("true_caption_rate"));
    }
    CHECK(images == report.images.size());
    if (grouping.at("by") != "objects") continue;
    objects = true;
    for (const Json& group : grouping.at("groups")) {
      std::size_t count = 0;
      for (const Index image : report.images)
        if (static_cast<double>(
                experiment.data.scenes->scenes[static_cast<std::size_t>(image)].objects.size()) ==
            group.at("mean").get<double>())
          ++count;
      CHECK(group.at("images") == count);
    }
  }
  CHECK(objects);
  CHECK(evaluation_table(report).find("by objects of the image, regime expectation") !=
        std::string::npos);
  request.extent = Extent::kCaptions;
  CHECK_FALSE(
      Json::parse(evaluation_json(experiment.run(request))).at("regimes")[0].contains("groups"));
}

}  // namespace
}  // namespace saccade::test
