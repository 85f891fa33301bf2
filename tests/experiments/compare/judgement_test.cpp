// The statistics of a comparison: intervals, tests, corrections, the verdict and the files.
#include "experiments/compare/judgement.h"

#include <nlohmann/json.hpp>

#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/statistics/holm.h"
#include "experiments/compare/comparison_files.h"
#include "experiments/compare/comparison_report.h"
#include "experiments/compare/verdict.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

constexpr std::size_t kImages = 60;

// A run with this seed whose images score around `level`. The seed shifts the scores of all images,
// and each image has a shift that all runs share.
SeedResult run(std::int64_t seed, double level) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < kImages; ++i)
    scores.push_back(level + 0.01 * static_cast<double>(seed % 3) +
                     0.1 * std::sin(static_cast<double>(i)));
  SeedResult result;
  result.seed = seed;
  result.parameters = 1000;
  result.record.cost.ms_per_update = 10;
  const ImageStatistics metric = mean_statistics("Bleu_4", scores);
  result.regimes = {{Regime::kExpectation, {{"Bleu_4", metric.whole()}}, {metric}}};
  result.images = "digest";
  return result;
}

ArmResult arm(const std::string& name, double level, const std::vector<std::int64_t>& seeds) {
  ArmResult out;
  out.arm.name = name;
  for (const std::int64_t seed : seeds) out.seeds.push_back(run(seed, level));
  return out;
}

Comparison comparison(std::vector<ArmResult> arms) {
  Comparison out;
  out.name = "test";
  out.images = static_cast<Index>(kImages);
  out.seeds = {1, 2, 3};
  out.arms = std::move(arms);
  return out;
}

const JudgeOptions kFew{.resampling = {.replicates = 500, .level = 0.95, .seed = 0}};

TEST_CASE("a spread has a mean and a sample deviation, which a single value does not have") {
  REQUIRE(spread_of({}).count == 0);
  REQUIRE(spread_of({3}).mean == 3);
  REQUIRE(std::isnan(spread_of({3}).deviation));
  const Spread spread = spread_of({2, 4, 4, 4, 5, 5, 7, 9});
  REQUIRE(spread.mean == Approx(5));
  REQUIRE(spread.deviation == Approx(2.13809));  // sqrt(32 / 7)
}

TEST_CASE("Holm's correction follows its definition") {
  const std::vector<double> corrected = holm({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(corrected[i] == Approx(expected[i]));
  // Corrected p-values are at most 1, and NaN does not count as a test.
  const std::vector<double> odd = holm({0.9, std::nan(""), 0.8});
  CHECK(odd[0] == 1);
  CHECK(std::isnan(odd[1]));
  CHECK(odd[2] == 1);
  CHECK(holm({}).empty());
}

TEST_CASE("a difference beyond chance is distinguished from none") {
  const Comparison three = comparison(
      {arm("soft", 0.3, {1, 2, 3}), arm("hard", 0.36, {1, 2, 3}), arm("same", 0.3, {1, 2, 3})});
  const Judgement judgement = judge(three, kFew);
  REQUIRE(judgement.reference == &three.arms[0]);
  REQUIRE(judgement.rows.size() == 3);
  const JudgedMetric& soft = *judgement.rows[0].find("Bleu_4");
  CHECK(soft.over == IntervalOver::kSeedsAndImages);
  CHECK(soft.interval.low < soft.spread.mean);
  CHECK(soft.interval.high > soft.spread.mean);
  CHECK(!soft.difference);
  const JudgedDifference& hard = *judgement.rows[1].find("Bleu_4")->difference;
  CHECK(hard.value == Approx(0.06));
  CHECK(hard.p_value < 0.001);
  const JudgedDifference& same = *judgement.rows[2].find("Bleu_4")->difference;
  CHECK(same.value == Approx(0).margin(1e-12));
  CHECK(same.p_value == 1);
  // Corrected for two tests of one metric.
  CHECK(hard.holm == Approx(2 * hard.p_value).margin(1e-12));
  CHECK(same.holm == 1);
  const std::vector<std::string> sentences = verdict(judgement);
  REQUIRE(sentences.size() == 3);
  CHECK_THAT(sentences[2], Contains("small sample: 60 images"));
  CHECK_THAT(sentences[0],
             Contains("hard (expectation) against soft: BLEU-4 is 0.0600 higher (95 % interval ["));
  CHECK_THAT(sentences[0], Contains("): better with 3 seeds"));
  CHECK_THAT(sentences[1], Contains("no evidence of a difference with 3 seeds"));
}

TEST_CASE("another arm can be the reference, and the verdict names an arm that is worse") {
  Comparison two = comparison({arm("soft", 0.3, {1, 2, 3}), arm("hard", 0.36, {1, 2, 3})});
  two.against = "hard";
  const Judgement judgement = judge(two, kFew);
  REQUIRE(judgement.reference == &two.arms[1]);
  CHECK(judgement.rows[0].find("Bleu_4")->difference->value == Approx(-0.06));
  CHECK_THAT(verdict(judgement).at(0),
             Contains("0.0600 lower") && Contains(": worse with 3 seeds"));
}

TEST_CASE("the scores of one seed have intervals over images, and no deviation") {
  const Comparison one = comparison({arm("soft", 0.3, {1}), arm("hard", 0.36, {1})});
  const Judgement judgement = judge(one, kFew);
  CHECK(judgement.rows[0].find("Bleu_4")->over == IntervalOver::kImages);
  CHECK(judgement.rows[1].find("Bleu_4")->difference->over == IntervalOver::kImages);
  const auto json = nlohmann::json::parse(comparison_json(one, judgement));
  CHECK(json["arms"][0]["regimes"][0]["corpus"]["Bleu_4"]["std"].is_null());
}

// An arm of one seed that has this score on each of `images` images.
ArmResult constant_arm(const std::string& name, double score, std::size_t images) {
  ArmResult out = arm(name, 0, {1});
  const ImageStatistics metric = mean_statistics("METEOR", std::vector<double>(images, score));
  out.seeds[0].regimes = {{Regime::kExpectation, {{"METEOR", metric.whole()}}, {metric}}};
  return out;
}

TEST_CASE("a single image supports neither an interval nor a test") {
  Comparison one = comparison({constant_arm("soft", 0.2, 1), constant_arm("hard", 0.25, 1)});
  one.images = 1;
  const Judgement judgement = judge(one, kFew);
  const JudgedMetric& hard = *judgement.rows[1].find("METEOR");
  CHECK(hard.spread.mean == 0.25);
  CHECK(std::isnan(hard.interval.low));
  REQUIRE(hard.difference);
  CHECK(hard.difference->value == Approx(0.05));
  CHECK(std::isnan(hard.difference->p_value));
  CHECK(verdict(judgement) ==
        std::vector<std::string>{"hard (expectation) against soft: no verdict from 1 image, which "
                                 "needs at least 20"});
  CHECK(shown_text(difference_cell(hard)) == "+0.0500 (no test)");
  CHECK(shown_text(interval_cell(hard)) == "0.2500");
  const auto json = nlohmann::json::parse(comparison_json(one, judgement));
  const auto& written = json["arms"][1]["regimes"][0]["corpus"]["METEOR"];
  CHECK(written["low"].is_null());
  CHECK(written["difference"]["p"].is_null());
}

TEST_CASE("scores that are equal on every image are called equal, without a p-value") {
  const Judgement judgement =
      judge(comparison({constant_arm("soft", 0.2, 40), constant_arm("hard", 0.2, 40)}), kFew);
  CHECK(shown_text(difference_cell(*judgement.rows[1].find("METEOR"))) == "equal");
}

TEST_CASE("tables show no negative zero, and set no printed number apart from its equal") {
  const Comparison two =
      comparison({constant_arm("soft", 1e-6, 40), constant_arm("hard", -2e-6, 40),
                  constant_arm("worse", -0.5, 40)});
  const Judgement judgement = judge(two, kFew);
  CHECK(shown_text(difference_cell(*judgement.rows[1].find("METEOR"))) == "both 0, no test");
  const Judgement near =
      judge(comparison({constant_arm("soft", 0.2, 40), constant_arm("hard", 0.200001, 40)}), kFew);
  CHECK(shown_text(difference_cell(*near.rows[1].find("METEOR"))) ==
        "0.0000 [0.0000, 0.0000] p = 0.002");
  CHECK(shown_text(interval_cell(*judgement.rows[1].find("METEOR"))) == "0.0000 [0.0000, 0.0000]");
  const std::string latex = comparison_latex(two, judgement);
  for (const std::string& text : {latex, comparison_table(two, judgement, {.columns = 200}),
                                  comparison_markdown(two, judgement, Shown::kAll)})
    CHECK(text.find("-0.0000") == std::string::npos);
  CHECK_THAT(latex, Contains("soft & expectation & $\\mathbf{0.0}") &&
                        Contains("hard & expectation & $\\mathbf{0.0}") &&
                        Contains("worse & expectation & $-50.0"));
}

TEST_CASE("a bold mean in LaTeX is a winner that the tests support") {
  const auto latex = [](const Comparison& comparison) {
    return comparison_latex(comparison, judge(comparison, kFew));
  };
  const std::vector<std::int64_t> seeds{1, 2, 3};
  // The best arm is better than the reference; the reference is better than all others.
  const std::string better = latex(comparison({arm("soft", 0.3, seeds), arm("hard", 0.36, seeds)}));
  CHECK_THAT(better, Contains("hard & expectation & $\\mathbf{3"));
  CHECK_THAT(better, Contains("soft & expectation & $3"));
  const std::string reference =
      latex(comparison({arm("soft", 0.36, seeds), arm("hard", 0.3, seeds)}));
  CHECK_THAT(reference, Contains("soft & expectation & $\\mathbf{3"));
  // Of a single image, or of no difference beyond chance, nothing is a winner.
  Comparison one = comparison({constant_arm("soft", 0.2, 1), constant_arm("hard", 0.25, 1)});
  one.images = 1;
  CHECK_THAT(latex(one), Contains("hard & expectation & $25.0$") && !Contains("mathbf"));
  Comparison chance = comparison({arm("soft", 0.3, {1}), arm("hard", 0.3, {1})});
  std::vector<double> scores(kImages, 0.3);
  for (std::size_t i = 0; i < kImages; ++i) scores[i] += i % 2 == 0 ? 0.2 : -0.19;
  chance.arms[1].seeds[0].regimes[0].metrics = {mean_statistics("Bleu_4", scores)};
  chance.arms[0].seeds[0].regimes[0].metrics = {
      mean_statistics("Bleu_4", std::vector<double>(kImages, 0.3))};
  CHECK_THAT(latex(chance), Contains("hard & expectation & $30.5") && !Contains("mathbf"));
  // The reference is best, and one of the two others may be as good.
  chance.arms.push_back(constant_arm("worse", 0, kImages));
  chance.arms[2].seeds[0].regimes[0].metrics = {
      mean_statistics("Bleu_4", std::vector<double>(kImages, 0.1))};
  chance.against = "hard";
  CHECK_THAT(latex(chance), Contains("worse & expectation & $10.0") && !Contains("mathbf"));
  // There is nothing to win against.
  CHECK_THAT(latex(comparison({arm("soft", 0.3, seeds)})), !Contains("mathbf"));
}

TEST_CASE("a difference below four decimals is too small to matter, however small its p-value is") {
  const Comparison two = comparison({arm("soft", 0.3, {1, 2, 3}), arm("hard", 0.30001, {1, 2, 3})});
  const Judgement judgement = judge(two, kFew);
  CHECK(judgement.rows[1].find("Bleu_4")->difference->p_value < 0.05);
  CHECK_THAT(verdict(judgement).at(0), Contains("0.0000 higher (95 % interval [0.0000, 0.0000]") &&
                                           Contains("too small to matter"));
}

TEST_CASE("arms that were scored on other images are not tested against each other") {
  Comparison two = comparison({arm("soft", 0.3, {1, 2}), arm("hard", 0.36, {1, 2})});
  for (SeedResult& seed : two.arms[1].seeds) seed.images = "another";
  const Judgement judgement = judge(two, kFew);
  CHECK(!judgement.rows[1].find("Bleu_4")->difference);
  CHECK(verdict(judgement) ==
        std::vector<std::string>{
            "hard was scored on other images than soft, so it is not tested against it"});
}

TEST_CASE("a failed seed is named and left out of means") {
  Comparison failed = comparison({arm("soft", 0.3, {1, 2, 3})});
  failed.arms[0].seeds[2].error = "update 7: the loss is nan";
  REQUIRE(!failed.complete());
  const Judgement judgement = judge(failed, kFew);
  const auto json = nlohmann::json::parse(comparison_json(failed, judgement));
  const auto& scores = json["arms"][0]["regimes"][0]["corpus"]["Bleu_4"];
  const double first = failed.arms[0].seeds[0].regimes[0].corpus[0].second;
  REQUIRE(scores["mean"].get<double>() == Approx(first + 0.005));
  REQUIRE(scores["n"] == 2);
  REQUIRE(json["complete"] == false);
  REQUIRE(json["arms"][0]["seeds"][2]["status"] == "failed");
  for (const std::string& text : {comparison_table(failed, judgement, {.columns = 80}),
                                  comparison_markdown(failed, judgement, Shown::kHeadline)})
    REQUIRE_THAT(text, Contains("±0.0071") && Contains("seed 3 failed: update 7"));
}

// The lines of a table whose cells are all dashes.
std::vector<std::string> lines_of_dashes(const std::string& table) {
  std::vector<std::string> out;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end =
        line.find("  ");  // of the label, whose words have one space between them
    std::istringstream cells(end == std::string::npos ? "" : line.substr(end));
    std::string cell;
    bool dashes = static_cast<bool>(cells >> cell) && cell == "-";
    while (cells >> cell) dashes = dashes && cell == "-";
    if (dashes) out.push_back(line);
  }
  return out;
}

TEST_CASE("a comparison shows the headlines, the rest with --all, and no line of dashes") {
  Comparison two = comparison({arm("soft", 0.3, {1, 2}), arm("hard", 0.36, {1, 2})});
  const auto add = [&](std::size_t a, const std::string& name, double value) {
    for (SeedResult& seed : two.arms[a].seeds) seed.regimes[0].corpus.emplace_back(name, value);
  };
  for (const std::size_t a : {0, 1}) {
    add(a, "Bleu_1", 0.5);
    add(a, "mean_length", 9.5);
  }
  // Only one arm has these.
  add(0, "references_attention_correctness_over_uniform", 1.5);
  add(0, "attention_max_weight", 0.75);
  const Judgement judgement = judge(two, kFew);
  const auto shows = [](const std::string& text, const char* name) {
    return text.find(name) != std::string::npos;
  };
  // Narrow, so that arms are rows and metrics columns, and wide.
  for (const std::size_t columns : {40, 200})
    for (const Shown shown : {Shown::kHeadline, Shown::kAll}) {
      const std::string table =
          comparison_table(two, judgement, {.columns = columns, .shown = shown});
      CAPTURE(columns, table);
      CHECK(lines_of_dashes(table) == std::vector<std::string>{});
      for (const char* name : {"BLEU-4", "mean length", "ms per update", "parameters"})
        CHECK(shows(table, name));
      CHECK(shows(table, columns == 200 ? "correctness / uniform, references' words"
                                        : " references' words\n"));
      for (const char* name : {"BLEU-1", "largest weight"})
        CHECK(shows(table, name) == (shown == Shown::kAll));
      CHECK(shows(table, "--all shows 2 more numbers") == (shown == Shown::kHeadline));
      // No arm has these, and no memory was recorded.
      for (const char* name : {"METEOR", "true captions", "peak memory"})
        CHECK(!shows(table, name));
      const std::string markdown = comparison_markdown(two, judgement, shown);
      CHECK(shows(markdown, " BLEU-1 |") == (shown == Shown::kAll));
      CHECK(shows(markdown, " mean length |"));
      CHECK(!shows(markdown, "METEOR"));
      // People read labels everywhere, and names of files nowhere.
      for (const MetricInfo& info : all_metrics()) {
        if (info.name.find_first_of("_.") == std::string::npos) continue;
        CAPTURE(info.name);
        for (const std::string& text : {table, markdown}) CHECK(!shows(text, info.name.c_str()));
      }
    }
  // What programs read is complete.
  CHECK(shows(comparison_json(two, judgement), "attention_max_weight"));
  CHECK(shows(comparison_csv(two, judgement), "attention_max_weight"));
}

TEST_CASE("of many arms, every block of the table has all, so that they can be compared") {
  std::vector<ArmResult> arms;
  for (int i = 0; i < 12; ++i) {
    arms.push_back(arm("variant-" + std::string(1, static_cast<char>('a' + i)), 0.3, {1, 2}));
    for (SeedResult& seed : arms.back().seeds)
      for (const char* name : {"METEOR", "CIDEr", "mean_length", "unique_captions",
                               "true_caption_rate", "attention_entropy"})
        seed.regimes[0].corpus.emplace_back(name, 0.5);
  }
  const Comparison many = comparison(arms);
  const std::string table = comparison_table(many, judge(many, kFew), {.columns = 80});
  CAPTURE(table);
  const std::string scores = table.substr(0, table.find("against variant-a"));
  std::istringstream lines(scores);
  std::size_t blocks = 0, rows = 0;
  for (std::string line; std::getline(lines, line);) {
    CHECK(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }) <= 85);
    blocks += line.starts_with("variant-a ");
    rows += line.starts_with("variant-");
  }
  CHECK(blocks >= 2);
  CHECK(rows == 12 * blocks);
  CHECK(std::count(scores.begin(), scores.end(), '\n') < 60);
  CHECK_THAT(scores, Contains("true captions"));
}

TEST_CASE("metrics without evidence of a difference share a sentence") {
  Comparison two = comparison({arm("soft", 0.3, {1, 2, 3}), arm("hard", 0.3, {1, 2, 3})});
  for (ArmResult& one : two.arms)
    for (SeedResult& seed : one.seeds) {
      std::vector<double> scores;
      for (std::size_t i = 0; i < kImages; ++i)
        scores.push_back((&one == &two.arms[0] ? 0.5 : 0.6) + 0.01 * std::cos(double(i)) +
                         0.001 * static_cast<double>(seed.seed));
      seed.regimes[0].metrics.push_back(mean_statistics("METEOR", scores));
      seed.regimes[0].metrics.push_back(mean_statistics("CIDEr", std::vector<double>(kImages, 1)));
    }
  const std::vector<std::string> sentences = verdict(judge(two, kFew));
  REQUIRE(sentences.size() == 3);
  CHECK_THAT(sentences[0],
             Contains("METEOR is 0.1000 higher") && Contains(": better with 3 seeds"));
  CHECK(
      sentences[1].starts_with("hard (expectation) against soft: no evidence of a difference with "
                               "3 seeds: BLEU-4 0.0000 ["));
  CHECK_THAT(sentences[1], Contains("), CIDEr 0.0000 ["));
}

TEST_CASE("intervals end where a metric ends") {
  Comparison two = comparison({arm("soft", 0.3, {1, 2}), arm("hard", 0.3, {1, 2})});
  for (ArmResult& one : two.arms)
    for (SeedResult& seed : one.seeds) {
      const bool good = (seed.seed == 1) == (&one == &two.arms[0]);
      std::vector<double> scores(kImages, good ? 0.9 : 0.1);
      scores[0] = 0.5;
      seed.regimes[0].metrics.push_back(mean_statistics("true_caption_rate", scores));
    }
  const Judgement judgement = judge(two, kFew);
  for (const JudgedRow& row : judgement.rows) {
    const Interval& own = row.find("true_caption_rate")->interval;
    CHECK(own.low == 0);
    CHECK(own.high == 1);
  }
  const Interval& between = judgement.rows[1].find("true_caption_rate")->difference->interval;
  CHECK(between.low == -1);
  CHECK(between.high == 1);
}

TEST_CASE("no name is a formula in CSV") {
  for (const char* name : {"=1+1", "+soft", "-soft", "@soft", "=cmd|' /C calc'!A0", "-a,\"b\""}) {
    const Comparison odd = comparison({arm(name, 0.3, {1, 2}), arm("a-b=c", 0.36, {1, 2})});
    const std::string csv = comparison_csv(odd, judge(odd, kFew));
    CAPTURE(csv);
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line[0] == '"' ? 1 : 0;
      CHECK(std::string("=+-@").find(line[first]) == std::string::npos);
    }
    CHECK_THAT(csv, Contains("\na-b=c,expectation"));
  }
}

TEST_CASE("a table for LaTeX shows scores times 100, with no digit that an interval leaves open") {
  // The spread of images decides the width of the interval.
  const auto cell = [](const std::string& metric, double mean, double spread) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < 400; ++i) scores.push_back(mean + (i % 2 == 0 ? spread : -spread));
    ArmResult soft = arm("soft", 0, {1});
    const ImageStatistics one = mean_statistics(metric, scores);
    soft.seeds[0].regimes = {{Regime::kExpectation, {{metric, mean}}, {one}}};
    const Comparison alone = comparison({soft});
    const std::string latex = comparison_latex(alone, judge(alone, kFew));
    const std::size_t begin = latex.find("soft & expectation & ") + 21;
    return latex.substr(begin, latex.find(" \\\\", begin) - begin);
  };
  CHECK_THAT(cell("CIDEr", 0.51, 0.3), Catch::StartsWith("$51.0 \\pm 3."));
  CHECK_THAT(cell("CIDEr", 0.51, 3), Catch::StartsWith("$51 \\pm "));
  CHECK_THAT(cell("METEOR", 0.1903, 0.03), Catch::StartsWith("$19.03 \\pm 0."));
  CHECK_THAT(cell("references_attention_correctness_over_uniform", 2.9, 0.5),
             Catch::StartsWith("$2.900 \\pm 0.0"));
}

TEST_CASE("names are escaped in CSV and LaTeX") {
  const Comparison odd =
      comparison({arm("a_b, \"c\"", 0.3, {1, 2, 3}), arm("50 %", 0.36, {1, 2, 3})});
  const Judgement judgement = judge(odd, kFew);
  const std::string csv = comparison_csv(odd, judgement);
  CHECK_THAT(csv, Contains("\n\"a_b, \"\"c\"\"\",expectation,Bleu_4,3,"));
  // Every line has the same number of fields.
  std::size_t begin = csv.find("50 %");
  CHECK(std::count(csv.begin() + static_cast<std::ptrdiff_t>(begin), csv.end(), ',') == 16);
  const std::string latex = comparison_latex(odd, judgement);
  CHECK_THAT(latex, Contains("a\\_b, \"c\" & expectation & $") && Contains("50 \\% &") &&
                        Contains("\\mathbf{") && Contains(" & BLEU-4 "));
}

}  // namespace
}  // namespace saccade::test
