// What a verdict says, and does not say, of made cases: with few images, one seed, two, and
// several.
#include "experiments/compare/verdict.h"

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/random.h"
#include "experiments/compare/comparison_report.h"
#include "tests/experiments/compare/made_arms.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

// Hard against soft in CIDEr.
std::string said_of(const Made& soft, const Made& hard, const JudgeOptions& how = options()) {
  return said(
      comparison_of({arm_of("soft", 0, {{"CIDEr", soft}}), arm_of("hard", 1, {{"CIDEr", hard}})}),
      how);
}

TEST_CASE("a verdict says no more than its numbers") {
  const Seeds three{1, 2, 3}, five{1, 2, 3, 4, 5};
  const std::string judgements = "better|worse|p < 0.001";
  // What is said has the texts of `says`, and none of those of `says_not`, with | between two.
  const auto expect = [](const char* what, const Made& soft, const Made& hard,
                         const std::string& says, const std::string& says_not,
                         const JudgeOptions& how = options()) {
    const std::string text = said_of(soft, hard, how);
    CAPTURE(what, text);
    const auto each = [](const std::string& texts, const auto& check) {
      std::istringstream in(texts);
      for (std::string part; std::getline(in, part, '|');) check(part);
    };
    each(says, [&](const std::string& part) { CHECK_THAT(text, Contains(part)); });
    each(says_not, [&](const std::string& part) { CHECK_THAT(text, !Contains(part)); });
    CHECK(text.find("nan") == std::string::npos);
  };
  // Few images.
  expect("one image", {.images = 1}, {.runs = {-0.3}, .images = 1},
         "hard (expectation) against soft: no verdict from 1 image, which needs at least 20",
         judgements);
  expect("two images, one seed", {.images = 2}, {.runs = {-0.3}, .images = 2},
         "no verdict from 2 images", judgements);
  expect("five images, one seed", {.images = 5}, {.runs = {-0.3}, .images = 5},
         "no verdict from 5 images", judgements);
  expect("19 images, three seeds", {.seeds = three, .images = 19},
         {.seeds = three, .runs = {-0.3, -0.31, -0.32}, .images = 19}, "no verdict from 19 images",
         judgements);
  expect("20 images", {.images = 20}, {.runs = {-0.3}, .images = 20},
         "CIDEr is 0.|this run scores lower|small sample: 20 images", "better|worse");
  expect("99 images, three seeds", {.seeds = three, .images = 99},
         {.seeds = three, .runs = {-0.3, -0.31, -0.32}, .images = 99},
         ": worse with 3 seeds|small sample: 99 images", "");
  expect("100 images", {.images = 100}, {.runs = {-0.3}, .images = 100}, "this run scores lower",
         "small sample");
  // One seed: what the seed does looks like what the arm does.
  expect("equal but for 1e-7 of the learning rate: another path of training", {}, {.runs = {-0.05}},
         "p < 0.001|this run scores lower over the images of one seed, which tells nothing about "
         "other seeds",
         "better|worse");
  expect("seed 1", {}, {.runs = {0.06}}, "this run scores higher", "better|worse");
  expect("seed 2", {.seeds = {2}}, {.seeds = {2}, .runs = {-0.06}}, "this run scores lower",
         "better|worse");
  expect("seed 3", {.seeds = {3}}, {.seeds = {3}, .runs = {0.05}}, "this run scores higher",
         "better|worse");
  expect("these three seeds together", {.seeds = three},
         {.seeds = three, .runs = {0.06, -0.06, 0.05}},
         "no evidence of a difference with 3 seeds: CIDEr +0.|; power .80 from 0.", "better|worse");
  expect("one seed each, another one", {}, {.seeds = {2}, .runs = {0.06}},
         "this run scores higher over the images of one run each; the runs differ in the seed",
         "better|of one seed");
  expect("one seed, no difference", {}, {},
         "no evidence of a difference over the images of one seed, which tells nothing about other "
         "seeds: CIDEr |[",
         judgements);
  expect("equal captions", {.rest = 0}, {.rest = 0}, "CIDEr 0.0000 [0.0000, 0.0000] (p = 1)",
         "power|better");
  // Two seeds.
  expect("two seeds, far apart", {.seeds = {1, 2}}, {.seeds = {1, 2}, .runs = {-0.4, -0.41}},
         "no verdict from two seeds, at least 3 are needed: CIDEr -0.41|[", judgements);
  expect("two seeds and a margin", {.seeds = {1, 2}}, {.seeds = {1, 2}, .runs = {0.01, -0.01}},
         "no verdict from two seeds| (not tested against its margin of 0.05)", "equal",
         options("", {"CIDEr=0.05"}));
  expect("two seeds against five", {.seeds = five}, {.seeds = {1, 2}, .runs = {-0.4, -0.41}},
         "no verdict from two seeds", judgements);
  expect("one seed against two", {.seeds = {1, 2}}, {.runs = {-0.4}}, "no verdict from two seeds",
         judgements);
  // One seed against several.
  expect("one seed within the spread of three", {.seeds = three, .runs = {0.05, -0.05, 0}},
         {.runs = {0.06}},
         "no evidence of a difference as a single one against 3 seeds, whose spread is taken",
         judgements);
  expect("one seed far from three", {.seeds = three, .runs = {0.005, -0.005, 0}}, {.runs = {0.3}},
         "this run scores higher as a single one against 3 seeds", "better");
  expect("three seeds far from one", {}, {.seeds = three, .runs = {0.3, 0.305, 0.295}},
         "these runs score higher with 3 seeds against a single one", "better");
  // Several seeds.
  expect("three seeds, every one of them lower", {.seeds = three},
         {.seeds = three, .runs = {-0.3, -0.31, -0.32}}, ": worse with 3 seeds",
         "small sample|no evidence");
  expect("five seeds against three others", {.seeds = {6, 7, 8}},
         {.seeds = five, .runs = {0.3, 0.31, 0.32, 0.3, 0.31}},
         ": better with 5 seeds against 3 that are not the same seeds", "");
  expect("three seeds that tell nothing", {.seeds = three},
         {.seeds = three, .runs = {0.23, 0.5, -0.04}},
         "no evidence of a difference with 3 seeds: CIDEr +0.2| [-0.|; power .80 from 0.8",
         judgements);
  expect("a difference below four decimals", {.seeds = three, .rest = 0},
         {.seeds = three, .runs = {1e-5, 1e-5, 1.1e-5}, .rest = 0},
         "a reliable difference, but too small to matter, with 3 seeds", "better");
  // A margin.
  expect("equal within a margin", {.seeds = five, .runs = {0.01, 0, -0.01}, .rest = 0.02},
         {.seeds = five, .runs = {0.01, 0.001, -0.01, -0.001}, .rest = 0.02},
         "CIDEr is equal within 0.05 (90 % interval [|two one-sided tests, p |) with 5 seeds",
         "no evidence", options("", {"CIDEr=0.05"}));
  expect("too few seeds to be equal", {.seeds = three, .runs = {0.1, 0, -0.1}}, {.seeds = three},
         "no evidence of a difference|; not shown to be within 0.05)", "equal",
         options("", {"CIDEr=0.05"}));
  expect("worse, but not by much", {.seeds = five, .rest = 0.02},
         {.seeds = five, .runs = {-0.02, -0.021, -0.022, -0.021, -0.02}, .rest = 0.02},
         ", within 0.05: worse with 5 seeds", "", options("", {"CIDEr=0.05"}));
}

TEST_CASE(
    "a verdict corrects over its metrics, and a declared primary metric needs no correction") {
  // In CIDEr a difference that is found alone; in the others none.
  const Seeds four{1, 2, 3, 4};
  const auto arms = [&] {
    std::vector<ArmResult> out;
    for (const std::uint64_t a : {0, 1}) {
      const Made found{
          .seeds = four,
          .runs = {0.05 * double(a), 0.08 * double(a), 0.03 * double(a), 0.07 * double(a)}};
      const Made same{.seeds = four, .runs = {0.01, -0.01, 0.005, 0}, .rest = 0.1};
      out.push_back(arm_of(a == 0 ? "soft" : "hard", a,
                           {{"CIDEr", found},
                            {"Bleu_4", same},
                            {"METEOR", same},
                            {"pointing_accuracy", same},
                            {"true_caption_rate", same},
                            {"ROUGE_L", found}}));
    }
    return comparison_of(std::move(out));
  }();
  const Judgement all = judge(arms, options());
  const JudgedDifference& cider = *all.rows[1].find("CIDEr")->difference;
  CHECK(cider.family == Family::kVerdict);
  CHECK(cider.tests == 5);
  CHECK(cider.p_value < 0.05);
  CHECK(cider.holm > 0.05);
  const std::string unsure = said(arms);
  CAPTURE(unsure);
  CHECK_THAT(unsure,
             Contains("after Holm for 5 tests") && !Contains("better") &&
                 Contains("an interval that leaves out 0 is none of the evidence: it is not "
                          "corrected for the number of tests"));
  // A metric that is no headline takes no part.
  CHECK(all.rows[1].find("ROUGE_L")->difference->family == Family::kDetail);
  CHECK(all.rows[1].find("ROUGE_L")->difference->tests == 1);
  const Judgement declared = judge(arms, options("CIDEr"));
  CHECK(declared.rows[1].find("CIDEr")->difference->holm == cider.p_value);
  CHECK(declared.rows[1].find("METEOR")->difference->family == Family::kHeadlines);
  CHECK(declared.rows[1].find("METEOR")->difference->tests == 4);
  CHECK_THAT(said(arms, options("CIDEr")), Contains(": better with 4 seeds"));
  // It may be no headline.
  CHECK_THAT(said(arms, options("ROUGE_L")), Contains("ROUGE-L is ") && Contains(": better with"));
}

TEST_CASE("the other regimes of arms are no tests of the verdict's family") {
  const auto with_regimes = [](ArmResult arm) {
    for (SeedResult& seed : arm.seeds)
      for (const Regime regime : {Regime::kArgmax, Regime::kSample, Regime::kMarginal}) {
        seed.regimes.push_back(seed.regimes[0]);
        seed.regimes.back().regime = regime;
      }
    return arm;
  };
  const Seeds three{1, 2, 3};
  // Two arms that draw, against one that does too: every arm has the same four regimes.
  std::vector<ArmResult> arms;
  for (const std::uint64_t a : {0, 1, 2})
    arms.push_back(
        with_regimes(arm_of("arm " + std::to_string(a), a,
                            {{"CIDEr", {.seeds = three}}, {"METEOR", {.seeds = three}}})));
  const Judgement judgement = judge(comparison_of(std::move(arms)), options());
  std::map<Family, Index> counted;
  for (const JudgedRow& row : judgement.rows)
    for (const JudgedMetric& metric : row.metrics)
      if (metric.difference) {
        ++counted[metric.difference->family];
        CHECK(metric.difference->tests == (metric.difference->family == Family::kVerdict ? 4 : 18));
      }
  CHECK(counted[Family::kVerdict] == 4);  // two arms, two metrics
  CHECK(counted[Family::kRegimes] == 18);
}

TEST_CASE("of arms that do not differ, one in twenty comparisons says that one does") {
  const std::vector<std::string> headlines{"Bleu_4", "METEOR", "CIDEr"};
  int said_something = 0;
  const int simulations = 300;
  for (int s = 0; s < simulations; ++s) {
    std::vector<ArmResult> arms;
    for (std::uint64_t a = 0; a < 3; ++a) {
      ArmResult& arm = arms.emplace_back();
      arm.arm.name = std::to_string(a);
      for (const std::int64_t seed : {1, 2, 3, 4}) {
        SeedResult& run = arm.seeds.emplace_back();
        run.seed = seed;
        RegimeScores& scores = run.regimes.emplace_back();
        Random own(
            {static_cast<std::uint64_t>(s), Stream::kTest, a, static_cast<std::uint64_t>(seed)});
        for (const std::string& name : headlines) {
          const double shift = 0.3 * own.normal();
          std::vector<double> images(24);
          for (double& score : images) score = shift + own.normal();
          scores.metrics.push_back(mean_statistics(name, images));
        }
        scores.corpus = {{"CIDEr", 0}};
      }
    }
    const std::string text =
        said(comparison_of(std::move(arms)), judge_options("", {}, {.replicates = 80}));
    said_something +=
        text.find("better") != std::string::npos || text.find("worse") != std::string::npos;
  }
  CHECK(said_something <= 0.08 * simulations);
}

TEST_CASE("a resample without a score ends no test, and many do") {
  // Few images name anything: 5 of 60 are enough, 2 are not.
  for (const std::size_t naming : {5, 2}) {
    std::vector<ArmResult> arms;
    for (const double hits : {1.0, 0.0}) {
      std::vector<double> parts(60), wholes(60);
      for (std::size_t i = 0; i < naming; ++i) {
        parts[i] = hits;
        wholes[i] = 1;
      }
      ArmResult& arm = arms.emplace_back();
      arm.arm.name = hits > 0 ? "soft" : "hard";
      SeedResult& run = arm.seeds.emplace_back();
      const ImageStatistics pointing = ratio_statistics("pointing_accuracy", parts, wholes);
      run.regimes = {{Regime::kExpectation, {{"pointing_accuracy", pointing.whole()}}, {pointing}}};
    }
    const Comparison two = comparison_of(std::move(arms));
    const Judgement judgement = judge(two, options());
    const std::string table = comparison_table(two, judgement, {.columns = 200});
    CAPTURE(naming, table);
    if (naming == 5) {
      CHECK_THAT(table, Contains("no evidence of a difference") && Contains("(p = 0.0"));
      CHECK_THAT(table, Contains(" of 2000 resamples have no score and are left out"));
    } else {
      CHECK_THAT(table,
                 Contains("no test, because too many resamples have no score: pointing -1.0000") &&
                     Contains("-1.0000 (no test)"));
    }
    CHECK(table.find("nan") == std::string::npos);
  }
}

TEST_CASE("a metric with a margin is in the verdict, whether or not it is a headline") {
  const Comparison two = comparison_of({arm_of("soft", 0, {{"CIDEr", {}}, {"Bleu_1", {}}}),
                                        arm_of("hard", 1, {{"CIDEr", {}}, {"Bleu_1", {}}})});
  CHECK_THAT(said(two), !Contains("BLEU-1"));
  CHECK_THAT(said(two, options("", {"Bleu_1=0.5"})), Contains("BLEU-1 is equal within 0.5"));
}

}  // namespace
}  // namespace saccade::test
