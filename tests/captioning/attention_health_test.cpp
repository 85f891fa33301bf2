// Attention health: every measure on maps whose answer is known, and models whose map is dead.
#include <nlohmann/json.hpp>

#include "captioning/study/evaluation/dead_signs.h"
#include "captioning/study/evaluation/evaluation_report.h"
#include "captioning/study/evaluation/evaluation_table.h"
#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test::attention_health_test {
namespace {

using Map = std::vector<float>;

DecodedCaption caption_of(const std::vector<Map>& maps) {
  DecodedCaption caption;
  for (const Map& map : maps) {
    caption.words.emplace_back();
    caption.words.back().map.weights = map;
  }
  return caption;
}

AttentionHealth health_of(const std::vector<Map>& maps) {
  return attention_health(std::vector{caption_of(maps)});
}

const Map kFirst{1, 0, 0, 0}, kSecond{0, 1, 0, 0}, kFlat{0.25F, 0.25F, 0.25F, 0.25F};

TEST_CASE("uniform maps are uniform, static and cover everything evenly") {
  const AttentionHealth health = health_of({kFlat, kFlat, kFlat});
  CHECK(health.words == 3);
  CHECK(health.entropy == Approx(1));
  CHECK(health.largest == 0.25);
  CHECK(health.divergence == 0);
  CHECK(health.spread == 0);
  CHECK(health.coverage_excess == Approx(0).margin(1e-12));
  CHECK(health.static_share == 1);
  CHECK(health.uniform_share == 1);
  CHECK_FALSE(health.head_correlation);
}

TEST_CASE("one place for every word is static but not uniform") {
  const AttentionHealth health = health_of({kFirst, kFirst, kFirst});
  CHECK(health.entropy == 0);
  CHECK(health.largest == 1);
  CHECK(health.divergence == 0);
  CHECK(health.spread == 0);
  // The total is (1 - 3)^2 + 3, of which (4 - 3)^2 / 4 cannot be avoided.
  CHECK(health.coverage_excess == Approx(6.75));
  CHECK(health.static_share == 1);
  CHECK(health.uniform_share == 0);
}

TEST_CASE(
    "two places in turn differ by one bit, and every place once reaches the floor of coverage") {
  const AttentionHealth turns = health_of({kFirst, kSecond, kFirst, kSecond});
  CHECK(turns.divergence == Approx(1));
  CHECK(turns.static_share == 0);
  // Each of two cells has half of the words: a deviation of 1/2 there, and of 0 at the two others.
  CHECK(turns.spread == Approx(0.25));
  CHECK(turns.coverage_excess == Approx(4));  // (1 - 2)^2 + (1 - 2)^2 + 1 + 1, and (4 - 4)^2 / 4
  const AttentionHealth all = health_of({kFirst, kSecond, {0, 0, 1, 0}, {0, 0, 0, 1}});
  CHECK(all.coverage_excess == Approx(0).margin(1e-12));
  CHECK(all.divergence == Approx(1));
}

TEST_CASE("maps between the extremes have the numbers of their formulas") {
  const AttentionHealth health = health_of({{0.5F, 0.5F, 0, 0}, kFirst});
  CHECK(health.entropy == Approx(0.25));  // log 2 / log 4, and 0
  CHECK(health.largest == Approx(0.75));
  // m = (3/4, 1/4): the first term is (log2(2/3) + log2(2)) / 2, the second log2(4/3); both are
  // halved.
  CHECK(health.divergence == Approx((0.5 * std::log2(2.0 / 3) + 0.5 + std::log2(4.0 / 3)) / 2));
  CHECK(health.static_share == 0);
  CHECK(health_of({kFirst, {0.99F, 0.01F, 0, 0}}).static_share == 1);
  CHECK(health_of({{0.26F, 0.24F, 0.25F, 0.25F}}).uniform_share == 1);
}

TEST_CASE("maps are normalised first, and a word without weight has no map") {
  // A share that a sentinel leaves, and weights that may be negative.
  const AttentionHealth scaled = health_of({{0.1F, 0, 0, 0.1F}, {-3, 3, 0, 0}, {0, 0, 0, 0}});
  CHECK(scaled.words == 2);
  CHECK(scaled.entropy == Approx(0.5));
  CHECK(scaled.largest == Approx(0.5));
  CHECK(scaled.divergence == Approx(0.5));  // half of the weight of each is on a cell of the other
  // Maps that a word without a map separates are not compared.
  CHECK(std::isnan(health_of({kFirst, {0, 0, 0, 0}, kSecond}).divergence));
}

TEST_CASE("masked regions do not count in the entropy of a map") {
  const Map padded{0, 0.5F, 0.5F, 0};
  DecodedCaption caption = caption_of({padded, padded});
  CHECK(map_entropy(caption.words[0].map) == Approx(0.5));
  CHECK_FALSE(is_uniform(caption.words[0].map));
  for (DecodedWord& word : caption.words) word.map.mask = {0, 1, 1, 0};
  CHECK(map_entropy(caption.words[0].map) == Approx(1));
  CHECK(is_uniform(caption.words[0].map));
  CHECK(unmasked_cells(caption.words[0].map) == 2);
  CHECK(attention_health(std::vector{caption}).uniform_share == 1);
}

TEST_CASE("a map gives the weight of a cell by row and column") {
  AttentionMap map{.weights = {1, 2, 3, 4, 5, 6}, .layout = {{.rows = 2, .cols = 3}}};
  CHECK(map.at(0, 0) == 1);
  CHECK(map.at(0, 2) == 3);
  CHECK(map.at(1, 0) == 4);
  CHECK(map.at(1, 2) == 6);
  CHECK_THROWS_AS(map.at(0, 3), ShapeError);
  CHECK_THROWS_AS(map.at(2, 0), ShapeError);
  CHECK_THROWS_AS(map.at(-1, 0), ShapeError);
  CHECK_THROWS_AS(map.at(0, -1), ShapeError);
  map.weights.pop_back();
  CHECK_THROWS_AS(map.at(0, 0), ShapeError);
  CHECK_THROWS_AS(AttentionMap{}.at(0, 0), ShapeError);
  map.mask = {1, 1, 0, 1, 1, 0};
  CHECK(map.masked(2));
  CHECK_FALSE(map.masked(3));
  CHECK_THROWS_AS(unmasked_cells(map), ShapeError);  // five weights, a mask of six
}

TEST_CASE("means count words and captions in the right proportions") {
  const std::vector<DecodedCaption> captions{caption_of({kFirst, kFirst, kFirst}),
                                             caption_of({kFirst, kSecond}), caption_of({})};
  const AttentionHealth health = attention_health(captions);
  CHECK(health.words == 5);
  CHECK(health.divergence == Approx(1.0 / 3));  // three pairs
  CHECK(health.spread == Approx(0.125));        // two captions, of which the second has 1/4
  CHECK(health.coverage_excess == Approx((6.75 + 1) / 2));
  CHECK(attention_health({}).words == 0);
  CHECK(health_of({{1}, {1}}).entropy == 0);  // a single region
  CHECK_THROWS_AS(health_of({{1}, kFirst}), ShapeError);
}

TEST_CASE("what no caption can tell is NaN, in JSON null and in a table left out") {
  const AttentionHealth single = health_of({kFirst});
  CHECK(single.words == 1);
  CHECK(single.entropy == 0);
  CHECK(single.uniform_share == 0);
  for (const double x : {single.divergence, single.spread, single.static_share})
    CHECK(std::isnan(x));
  for (const auto& [name, value] : attention_health({}).scores()) CHECK(std::isnan(value));
  EvaluationReport report;
  report.attention.emplace().health = single;
  const auto health = nlohmann::json::parse(evaluation_json(report)).at("attention_health");
  CHECK(health.at("js_divergence").is_null());
  CHECK(health.at("static_share").is_null());
  CHECK(health.at("entropy") == 0.0);
  CHECK(health.at("dead").is_null());
  CHECK_THAT(evaluation_table(report),
             Catch::Contains("uniform maps") && !Catch::Contains("static maps"));
}

TEST_CASE("heads correlate fully with themselves and negatively with their opposite") {
  const Map rising{0.1F, 0.2F, 0.3F, 0.4F}, falling{0.4F, 0.3F, 0.2F, 0.1F};
  const auto correlation = [](const std::vector<Map>& heads) {
    DecodedCaption caption = caption_of({kFlat});
    for (const Map& head : heads) caption.words[0].parts.push_back({.weights = head});
    return attention_health(std::vector{caption}).head_correlation;
  };
  CHECK(correlation({rising, rising}).value() == Approx(1));
  CHECK(correlation({rising, falling}).value() == Approx(-1));
  CHECK(correlation({rising, rising, falling}).value() == Approx(-1.0 / 3));
  CHECK(correlation({kFirst, kSecond}).value() == Approx(-1.0 / 3));
  CHECK_FALSE(correlation({rising, kFlat}));  // a flat map has no shape
}

// The same caption for as many images as can be judged.
std::vector<DecodedCaption> repeated(const DecodedCaption& caption) {
  return std::vector<DecodedCaption>(static_cast<std::size_t>(kFewestJudgedImages), caption);
}

MapLoss loss_of(double loss, double low, double high) {
  return {.metric = "CIDEr", .loss = loss, .interval = {.low = low, .high = high}};
}

// A report whose maps change from word to word.
AttentionReport lively(const MapLoss& uniform, const MapLoss& shuffled) {
  AttentionReport report;
  report.health = attention_health(repeated(caption_of({{0.7F, 0.3F, 0, 0}, {0, 0, 0.7F, 0.3F}})));
  report.images = kFewestJudgedImages;
  report.ablations = {{Ablation::kUniform, {}, uniform}, {Ablation::kShuffled, {}, shuffled}};
  return report;
}

TEST_CASE("attention looks dead where captions do not need the map or the map does not move") {
  const MapLoss much = loss_of(0.5, 0.4, 0.6), little = loss_of(0.004, -0.01, 0.018),
                unclear = loss_of(0.01, -0.03, 0.05), some = loss_of(0.1, 0.05, 0.15);
  AttentionReport report = lively(some, much);
  CHECK_FALSE(dead_attention(report));
  CHECK(map_need(report) == MapNeed::kNeeded);
  CHECK(map_need_line(report) ==
        "captions need the map: CIDEr falls by 10.0 % [5.0, 15.0] with weights uniform and by 50.0 "
        "% [40.0, 60.0] with weights shuffled");
  report = lively(little, much);
  CHECK(map_need(report) == MapNeed::kNeedless);
  CHECK(dead_attention(report) ==
        "attention looks dead: captions do not need the map: CIDEr falls by 0.4 % [-1.0, 1.8] with "
        "weights uniform and by 50.0 % [40.0, 60.0] with weights shuffled");
  // Few images say nothing, and an interval on both sides of the limit says that it cannot tell.
  report.images = kFewestJudgedImages - 1;
  CHECK_FALSE(map_need(report));
  CHECK_FALSE(dead_attention(report));
  report = lively(unclear, much);
  CHECK(map_need(report) == MapNeed::kUnclear);
  CHECK_FALSE(dead_attention(report));
  CHECK(map_need_line(report)->find("cannot tell") != std::string::npos);
  // A score of 0 cannot fall.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(map_need(lively(loss_of(nan, nan, nan), much)));

  AttentionReport still;
  still.health = attention_health(repeated(caption_of({kFirst, kFirst})));
  CHECK(dead_attention(still) ==
        "attention looks dead: 100 % of the maps repeat the map of the word before");
  still.health = attention_health(repeated(caption_of({kFlat})));
  CHECK(dead_attention(still) ==
        "attention looks dead: the maps have collapsed to uniform ones: one region drawn for each "
        "word of a caption tells them apart in at most 50 % of the cases, and guessing in 50 %");
  still.health = health_of({kFirst, kFirst});
  CHECK_FALSE(dead_attention(still));  // a single caption
}

TEST_CASE("static maps are judged by the noise of captions, whose maps are alike") {
  const DecodedCaption still = caption_of(std::vector<Map>(11, kFirst)),
                       moving = caption_of({kFirst, kSecond, kFirst, kSecond, kFirst, kSecond});
  const auto report = [&](int stills, int moves) {
    std::vector<DecodedCaption> captions(static_cast<std::size_t>(stills), still);
    captions.insert(captions.end(), static_cast<std::size_t>(moves), moving);
    AttentionReport out;
    out.health = attention_health(captions);
    return out;
  };
  // Ten pairs of a still caption and five of a moving one.
  const AttentionHealth health = report(34, 6).health;
  const double share = 340.0 / 370;
  CHECK(health.captions == 40);
  CHECK(health.static_share == Approx(share));
  const double still_off = 10 * (1 - share), moving_off = 5 * share;
  CHECK(health.static_error ==
        Approx(std::sqrt((34 * still_off * still_off + 6 * moving_off * moving_off) * 40 / 39) /
               370));
  CHECK_FALSE(dead_attention(report(34, 6)));  // .919, but .864 at the lower end
  CHECK(dead_attention(report(680, 120)));
}

// A map of L cells of which one has `most` and the others share the rest.
Map peaked(std::size_t cells, double most) {
  Map map(cells, static_cast<float>((1 - most) / static_cast<double>(cells - 1)));
  map[0] = static_cast<float>(most);
  return map;
}

TEST_CASE("how far maps are from collapse is what draws of one region per word can tell") {
  const AttentionHealth flat = health_of({kFlat, kFlat});
  CHECK(flat.from_uniform == Approx(0).margin(1e-6));
  CHECK(flat.from_one_cell == Approx(1 - 1.0 / 16));
  const AttentionHealth one = health_of({kFirst, kSecond});
  CHECK(one.from_one_cell == 0);
  CHECK(one.from_uniform == Approx(std::sqrt(1 - 1.0 / 16)));  // exp(-2 log 4)
  // By hand: the draws of two words from (3/4, 1/4, 0, 0) and from equal weights differ by
  // half of the sum over pairs of |p_i p_j - 1/16|, which the bound must not be below.
  const Map map{0.75F, 0.25F, 0, 0};
  double apart = 0;
  for (const float a : map)
    for (const float b : map)
      apart += std::abs(static_cast<double>(a) * static_cast<double>(b) - 1.0 / 16) / 2;
  const AttentionHealth some = health_of({map, map});
  CHECK(some.from_uniform >= apart);
  CHECK(some.from_uniform < 1);
  CHECK(some.from_one_cell == Approx(1 - 0.75 * 0.75));
  // A single cell tells nothing, and so does no map.
  CHECK(std::isnan(health_of({{1}, {1}}).from_uniform));
  CHECK(std::isnan(attention_health({}).from_one_cell));
}

TEST_CASE("which entropy is a collapse depends on the size of the maps, on words and on noise") {
  const auto signs = [](const std::vector<DecodedCaption>& some) {
    std::vector<DecodedCaption> captions;
    for (Index i = 0; i < kFewestJudgedImages; ++i)
      captions.insert(captions.end(), some.begin(), some.end());
    AttentionReport report;
    report.health = attention_health(captions);
    std::vector<DeadKind> kinds;
    for (const DeadSign& sign : warning_signs(report)) kinds.push_back(sign.kind);
    return kinds;
  };
  // Maps of words in turn, so that none repeats the one before.
  const auto caption = [](std::size_t words, std::size_t cells, double most) {
    std::vector<Map> maps;
    for (std::size_t w = 0; w < words; ++w) {
      maps.push_back(peaked(cells, most));
      std::swap(maps.back()[0], maps.back()[w % cells]);
    }
    return caption_of(maps);
  };
  const auto entropy = [&](std::size_t cells, double most) {
    return attention_health(std::vector{caption(1, cells, most)}).entropy;
  };
  using Kinds = std::vector<DeadKind>;
  // The same entropy, .97: of 4 cells and 10 words it is a collapse, of 196 cells it is none.
  CHECK(entropy(4, 0.38) == Approx(0.97).margin(0.001));
  CHECK(entropy(196, 0.083) == Approx(0.97).margin(0.001));
  CHECK(signs({caption(10, 4, 0.38)}) == Kinds{DeadKind::kUniform});
  CHECK(signs({caption(10, 196, 0.083)}) == Kinds{});
  // With more words to draw for, the same maps can be told from uniform ones.
  CHECK(signs({caption(40, 4, 0.38)}) == Kinds{});
  // Maps on one cell, which draws leave once in two captions or less.
  CHECK(signs({caption(10, 16, 0.95)}) == Kinds{DeadKind::kOneCell});
  CHECK(signs({caption(10, 16, 0.9)}) == Kinds{});
  CHECK(signs({caption(20, 16, 0.95)}) == Kinds{});
  // Sixty captions that differ much are too few to say that their mean is below a half.
  CHECK(signs({caption(10, 16, 0.999), caption(10, 16, 0.8)}) == Kinds{});
  std::vector<DecodedCaption> many;
  for (int i = 0; i < 1000; ++i) many.push_back(caption(10, 16, i % 2 == 0 ? 0.999 : 0.8));
  CHECK(attention_health(many).from_one_cell < 0.5);
  CHECK(signs(many) == Kinds{DeadKind::kOneCell});
}

TEST_CASE("maps on one cell each are dead where captions do not need them, and warned of anyway") {
  AttentionReport report = lively(loss_of(0.1, 0.05, 0.15), loss_of(0.5, 0.4, 0.6));
  CHECK(warning_signs(report).empty());
  CHECK_FALSE(collapsed_attention(report));
  report.health = attention_health(repeated(caption_of({kFirst, kSecond})));
  CHECK_FALSE(dead_attention(report));
  REQUIRE(collapsed_attention(report));
  CHECK(collapsed_attention(report)->find("one cell each") != std::string::npos);
  REQUIRE(warning_signs(report).size() == 1);
  CHECK(warning_signs(report)[0].kind == DeadKind::kOneCell);
  report.ablations[0].loss = loss_of(0, 0, 0);
  CHECK(dead_attention(report)->find("one cell each") != std::string::npos);
  CHECK(warning_signs(report).size() == dead_signs(report).size());
}

TEST_CASE("a model whose scores ignore the regions is detected") {
  Experiment experiment(small_experiment());
  ParameterStore& store = experiment.model.parameters();
  const int index = store.find("decoder.attention.score.vector");
  REQUIRE(index >= 0);
  const View vector = store.value(index);
  std::fill_n(vector.data, vector.size(), Real{0});
  EvaluationReport report = experiment.run();
  REQUIRE(report.attention);
  CHECK(report.attention->health.words > 20);
  CHECK(report.attention->health.uniform_share == 1);
  CHECK(report.attention->health.static_share == 1);
  REQUIRE(report.attention->ablations.size() == 2);
  for (const AblatedScores& one : report.attention->ablations)
    CHECK(one.scores == report.attention->own);
  for (const AblatedScores& one : report.attention->ablations) CHECK(one.loss.interval.high == 0);
  CHECK_FALSE(dead_attention(*report.attention));  // too few images to say so
  report.attention->images = report.attention->health.captions = kFewestJudgedImages;
  const auto warning = dead_attention(*report.attention);
  REQUIRE(warning);
  CHECK(warning->find("the maps have collapsed to uniform ones") != std::string::npos);

  // The captions themselves, with every way to take the context.
  SearchOptions search =
      search_options(experiment.config, experiment.config.search, experiment.model.vocabulary());
  const auto words = [&](Ablation ablation) {
    search.ablation = ablation;
    std::vector<int> out;
    for (const DecodedCaption& caption :
         decode_images(experiment.model, experiment.inputs, report.images, search, {}))
      for (const DecodedWord& word : caption.words) out.push_back(word.id);
    return out;
  };
  CHECK(words(Ablation::kUniform) == words(Ablation::kNone));
  CHECK(words(Ablation::kShuffled) == words(Ablation::kNone));
}

}  // namespace
}  // namespace saccade::test::attention_health_test
