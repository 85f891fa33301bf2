// Scores of groups of images: the groups, what puts an image into one, and scores that are those of
// the group's images by themselves.
#include "captioning/study/evaluation/score_groups.h"

#include <nlohmann/json.hpp>

#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/evaluation_table.h"
#include "captioning/study/evaluation/sample_scores.h"
#include "captioning/study/evaluation/sequence_scores.h"
#include "core/base/random.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test::score_groups_test {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Json = nlohmann::json;

TEST_CASE("few values make a group each, and many make groups of about equal size") {
  std::vector<double> few;
  const auto add = [&](double value, std::size_t count) { few.insert(few.end(), count, value); };
  add(3, 15), add(1, 10), add(kNone, 1), add(2, 10);
  const std::vector<int> each = value_groups(few);
  CHECK(each[0] == 2);
  CHECK(each[15] == 0);
  CHECK(each[25] == -1);
  CHECK(each[26] == 1);
  // A small group joins the next one, and the last one the one before.
  add(0, 2), add(4, 9);
  const std::vector<int> joined = value_groups(few);
  CHECK(joined[15] == 0);     // 1
  CHECK(joined[36] == 0);     // 0
  CHECK(joined[26] == 1);     // 2
  CHECK(joined[0] == 2);      // 3
  CHECK(joined.back() == 2);  // 4
  // Two images, or 19 of any values, are one group.
  CHECK(value_groups(std::vector<double>{1, 2}) == std::vector<int>{0, 0});
  std::vector<double> little;
  for (int i = 0; i < 19; ++i) little.push_back(i);
  CHECK(value_groups(little) == std::vector<int>(19, 0));
  little.push_back(19);
  CHECK(value_groups(little).back() == 1);
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

TEST_CASE("no group has fewer images than the smallest, whatever the values are") {
  Random random({.seed = 5});
  for (int trial = 0; trial < 200; ++trial) {
    const auto count = static_cast<std::size_t>(random.uniform() * 80);
    const double kinds = 1 + std::floor(random.uniform() * 12);
    std::vector<double> values(count);
    for (double& value : values)
      value = std::floor(kinds * std::pow(random.uniform(), 1 + trial % 3));
    const std::vector<int> groups = value_groups(values);
    const int last = groups.empty() ? -1 : *std::max_element(groups.begin(), groups.end());
    for (int g = 0; last > 0 && g <= last; ++g)
      CHECK(std::count(groups.begin(), groups.end(), g) >= std::ptrdiff_t{kSmallestGroup});
    CHECK(last < static_cast<int>(kMostGroups));
  }
}

TEST_CASE("texts are grouped by their tokens, and exact matches are their headline") {
  ExperimentConfig config = small_text_experiment();
  config.data.sequences.val = 60;
  const Experiment experiment(config);
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
  REQUIRE(report.regimes[0].groups[0].groups.size() > 1);
  for (const ScoreGroup& group : report.regimes[0].groups[0].groups) {
    std::vector<std::string> names;
    for (const GroupScore& one : group.scores) names.push_back(one.metric);
    CHECK(names.front() == "exact_match");
    for (const char* other : {"Bleu_4", "METEOR", "CIDEr"})
      CHECK(std::find(names.begin(), names.end(), other) == names.end());
  }
}

TEST_CASE("the scores of a group are those of its images by themselves") {
  constexpr std::size_t kTimes = 6;
  std::vector<std::string> candidates, second_candidates;  // of all, and of the second group
  std::vector<std::vector<std::string>> references, second_references;
  std::vector<ImageTraits> traits{{.by = GroupBy::kObjects, .values = {}},
                                  {.by = GroupBy::kLength, .values = {}}};
  const auto add = [&](const char* caption, std::vector<std::string> own, double objects) {
    candidates.emplace_back(caption);
    references.push_back(std::move(own));
    traits[0].values.push_back(objects);
    traits[1].values.push_back(7);
    if (objects < 2) return;
    second_candidates.emplace_back(caption);
    second_references.push_back(references.back());
  };
  for (std::size_t k = 0; k < kTimes; ++k) {
    add("a red cross", {"a red cross", "a cross"}, 1);
    add("two blue hearts", {"two blue hearts and a star"}, 2);
    add("a cross and a heart", {"a green cross and a small heart"}, 2);
    add("one small star", {"a small yellow star"}, 1);
  }
  const CaptionScores all = score_captions(candidates, references, {});
  const std::vector<ScoreGrouping> groupings = group_scores(all.metrics, traits);
  REQUIRE(groupings.size() == 1);  // all images have the same length
  REQUIRE(groupings[0].groups.size() == 2);
  const ScoreGroup& second = groupings[0].groups[1];
  CHECK(second.images == 2 * kTimes);
  CHECK(second.mean == 2);
  CHECK(second.name(GroupBy::kObjects) == "2");
  const CaptionScores alone = score_captions(second_candidates, second_references, {});
  bool bleu = false, cider = false;
  for (const GroupScore& one : second.scores) {
    // Twelve images give no interval.
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

TEST_CASE("an evaluation groups all of its images, in groups by their number of objects") {
  ExperimentConfig config = small_experiment();
  config.data.scenes.val = 50;
  const Experiment experiment(config);
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
    objects = grouping.at("groups").size() > 1;
    for (const Json& group : grouping.at("groups")) {
      std::size_t count = 0;
      for (const Index image : report.images) {
        const auto here = static_cast<double>(
            experiment.data.scenes->scenes[static_cast<std::size_t>(image)].objects.size());
        if (here >= group.at("low") && here <= group.at("high")) ++count;
      }
      CHECK(group.at("images") == count);
      CHECK(count >= kSmallestGroup);
    }
  }
  CHECK(objects);
  CHECK(evaluation_table(report).find("by objects of the image, regime expectation") !=
        std::string::npos);
  // Of few images there is one line instead.
  for (const Index few : {2, 5, 19}) {
    request.most_images = few;
    const EvaluationReport small = experiment.run(request);
    const Json written = Json::parse(evaluation_json(small));
    for (const Json& grouping : written.at("regimes")[0].at("groups")) {
      CHECK(grouping.at("groups").empty());
      CHECK(grouping.at("least_images") == kSmallestGroup);
    }
    const std::string table = evaluation_table(small);
    CHECK(table.find("\nby ") == std::string::npos);
    CHECK(table.find(str("two groups of at least 10 images each are needed, and there are ", few,
                         " images\n")) != std::string::npos);
  }
  request.extent = Extent::kCaptions;
  CHECK_FALSE(
      Json::parse(evaluation_json(experiment.run(request))).at("regimes")[0].contains("groups"));
}

// Scores of sets of captions, and of sets that a small model draws.

using Texts = std::vector<std::vector<std::string>>;

std::map<std::string, double> scores_of(const Texts& sets, const Texts& references) {
  const NamedScores scores = score_sets(sets, references);
  return {scores.begin(), scores.end()};
}

bool near(double got, double wanted) { return std::abs(got - wanted) <= 1e-9; }

const Texts kReferences = {{"a red kite flies"}, {"two boats at sea"}, {"men who dig wells"}};

TEST_CASE("equal captions have no diversity, and the best is as good as the mean") {
  const auto scores = scores_of({{"a red kite flies", "A red kite flies."},
                                 {"two boats at sea", "two boats at sea"},
                                 {"men dig", "men dig"}},
                                kReferences);
  CHECK(scores.at("Div_1") == 0.5);  // n words of 2 n
  CHECK(near(scores.at("Div_2"), (3.0 / 8 + 3.0 / 8 + 1.0 / 4) / 3));
  CHECK(near(scores.at("mBLEU_4"), 1));
  CHECK(scores.at("self_CIDEr") == 0);
  CHECK(scores.at("best_CIDEr") == scores.at("mean_CIDEr"));
}

TEST_CASE("captions with nothing in common have the highest diversity") {
  const auto scores = scores_of({{"a red kite flies", "two boats at sea"},
                                 {"two boats at sea", "men who dig wells"},
                                 {"men who dig wells", "a red kite flies"}},
                                kReferences);
  CHECK(scores.at("Div_1") == 1);
  CHECK(near(scores.at("Div_2"), 6.0 / 8));
  CHECK(scores.at("mBLEU_4") < 1e-3);
  CHECK(near(scores.at("self_CIDEr"), 1));
  CHECK(near(scores.at("best_CIDEr"),
             10));  // one equals the reference, the other shares no word with it
  CHECK(near(scores.at("mean_CIDEr"), 5));
}

TEST_CASE("sets that cannot be scored") {
  CHECK_THROWS_AS(score_sets({}, {}), DataError);
  CHECK_THROWS_AS(scores_of({{"a", "b"}}, kReferences), DataError);
  CHECK_THROWS_AS(scores_of({{"a", "b"}}, {{}}), DataError);
  CHECK_THROWS_AS(scores_of({{"a"}}, {{"a"}}), ShapeError);
}

using Words = std::vector<std::string>;

// A result whose words have their largest weights at these places of four.
DecodedCaption pointing_at(const std::vector<Index>& places) {
  DecodedCaption out;
  for (const Index place : places) {
    DecodedWord& word = out.words.emplace_back();
    word.map.weights.assign(4, 0.1F);
    word.map.weights.at(static_cast<std::size_t>(place)) = 0.7F;
  }
  return out;
}

double score(const SequenceScores& scores, const std::string& name) {
  for (const ImageStatistics& metric : scores.metrics())
    if (metric.metric == name) return metric.whole();
  return -1;
}

const SourceText kThree{.tokens = {"a", "b", "c"}, .origins = {{2}, {1}, {0}}};
const Words kTurned = {"c", "b", "a"};

TEST_CASE("a result is right as a whole, or has some right words at their places") {
  SequenceScores scores(true);
  scores.add(kThree, kTurned, kTurned, pointing_at({2, 1, 0}));
  CHECK(score(scores, "exact_match") == 1);
  CHECK(score(scores, "token_accuracy") == 1);
  CHECK(score(scores, "alignment_accuracy") == 1);
  scores.add(kThree, kTurned, Words{"c", "a", "a"}, pointing_at({2, 1, 3}));
  CHECK(score(scores, "exact_match") == 0.5);
  CHECK(score(scores, "token_accuracy") == Approx((1 + 2 / 3.0) / 2));
  // Of the five right words, the last one of the second result is read from elsewhere.
  CHECK(score(scores, "alignment_accuracy") == Approx(4 / 5.0));
}

TEST_CASE("words that are missing or too many count against a result") {
  SequenceScores scores(true);
  scores.add(kThree, kTurned, Words{"c", "b"}, pointing_at({2, 1}));
  CHECK(score(scores, "exact_match") == 0);
  CHECK(score(scores, "token_accuracy") == Approx(2 / 3.0));
  SequenceScores longer(true);
  longer.add(kThree, kTurned, Words{"c", "b", "a", "a"}, pointing_at({2, 1, 0, 0}));
  CHECK(score(longer, "exact_match") == 0);
  CHECK(score(longer, "token_accuracy") == 0.75);
}

TEST_CASE("a word may come from any of several tokens, and a model without maps has no alignment") {
  const SourceText twice{.tokens = {"b", "a", "b"}, .origins = {{1}, {0, 2}, {0, 2}}};
  const Words sorted = {"a", "b", "b"};
  SequenceScores scores(true), without(false);
  scores.add(twice, sorted, sorted, pointing_at({1, 2, 2}));
  CHECK(score(scores, "alignment_accuracy") == 1);
  without.add(twice, sorted, sorted, pointing_at({1, 2, 2}));
  CHECK(score(without, "exact_match") == 1);
  CHECK(score(without, "alignment_accuracy") == -1);
  SequenceScores wrong(true);
  wrong.add(twice, sorted, Words{"c"}, pointing_at({1}));
  CHECK(std::isnan(score(wrong, "alignment_accuracy")));
}

TEST_CASE("scores are told apart by the length of the text") {
  SequenceScores scores(true);
  const SourceText one{.tokens = {"a"}, .origins = {{0}}};
  scores.add(kThree, kTurned, kTurned, pointing_at({2, 1, 0}));
  scores.add(one, Words{"a"}, Words{"b"}, pointing_at({0}));
  scores.add(kThree, kTurned, Words{"c", "b", "b"}, pointing_at({2, 1, 0}));
  const std::vector<LengthScores> lengths = scores.by_length();
  REQUIRE(lengths.size() == 2);
  CHECK(lengths[0].tokens == 1);
  CHECK(lengths[0].texts == 1);
  CHECK(lengths[0].exact_match == 0);
  CHECK(lengths[1].tokens == 3);
  CHECK(lengths[1].texts == 2);
  CHECK(lengths[1].exact_match == 0.5);
  CHECK(lengths[1].token_accuracy == Approx(5 / 6.0));
  CHECK_THROWS_AS(scores.add(kThree, kTurned, kTurned, pointing_at({2, 1})), ShapeError);
}

}  // namespace
}  // namespace saccade::test::score_groups_test
