// What a comparison is asked to judge by and what it cannot be: what is refused, what a config
// declares, and scores that are not tested.
#include "experiments/compare/judge_options.h"

#include "experiments/compare/arms.h"
#include "tests/experiments/compare/made_arms.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("scores that print as 0 on both sides are not tested, and make no family larger") {
  // BLEU-4 without a common 4-gram: tiny numbers, which differ from run to run.
  const auto tiny = [](ArmResult& arm, std::uint64_t number, double size) {
    for (SeedResult& seed : arm.seeds) {
      std::vector<double> scores;
      for (std::size_t i = 0; i < 200; ++i)
        scores.push_back(size * (1 + 0.1 * static_cast<double>(number) + 1e-3 * double(i)));
      seed.regimes[0].metrics.push_back(mean_statistics("Bleu_4", scores));
      seed.regimes[0].corpus.emplace_back("Bleu_4", seed.regimes[0].metrics.back().whole());
    }
  };
  int found = 0;
  for (const Seeds& seeds : {Seeds{1}, Seeds{1, 2, 3}})
    for (std::int64_t trial = 0; trial < 20; ++trial) {
      std::vector<ArmResult> without, with, one_sided;
      for (const std::uint64_t a : {0, 1, 2}) {
        Made made{.seeds = {}, .runs = {0.012 * double(a), 0.014 * double(a), 0.013 * double(a)}};
        for (const std::int64_t seed : seeds) made.seeds.push_back(seed + 10 * trial);
        without.push_back(
            arm_of("arm" + std::to_string(a), a, {{"CIDEr", made}, {"METEOR", made}}));
        with.push_back(without.back());
        tiny(with.back(), a, 1e-10);
        one_sided.push_back(without.back());
        tiny(one_sided.back(), a, a == 2 ? 0.1 : 1e-10);
      }
      const Comparison plain = comparison_of(without), more = comparison_of(with);
      const Judgement before = judge(plain, options()), after = judge(more, options());
      for (const std::size_t row : {1, 2})
        for (const char* metric : {"CIDEr", "METEOR"}) {
          const JudgedDifference& one = *before.rows[row].find(metric)->difference;
          const JudgedDifference& other = *after.rows[row].find(metric)->difference;
          CHECK(one.tests == 4);
          CHECK(other.tests == 4);
          CHECK(one.holm == other.holm);
          found += one.holm < 0.05 ? 1 : 0;
        }
      CHECK(std::isnan(after.rows[1].find("Bleu_4")->difference->p_value));
      const std::string text = said(more);
      CHECK_THAT(text, Contains("no test, because both scores print as 0.0000: BLEU-4"));
      std::string rest;
      for (const std::string& sentence : verdict(after))
        if (sentence.find("BLEU-4") == std::string::npos) rest += sentence + "\n";
      CHECK(rest == said(plain));
      // Where one of the two scores can be seen, there is something to test.
      const Judgement seen = judge(comparison_of(one_sided), options());
      CHECK(seen.rows[2].find("Bleu_4")->difference->p_value < 0.05);
      CHECK(seen.rows[1].find("CIDEr")->difference->tests == 5);
      // A margin around two zeros is no test either.
      CHECK_THAT(said(more, options("", {"Bleu_4=0.1"})), !Contains("BLEU-4 is equal within"));
    }
  CHECK(found > 20);
}

TEST_CASE("a declared metric that a run lacks is said not to be tested") {
  const Comparison two = comparison_of(
      {arm_of("none", 0, {{"CIDEr", {}}}), arm_of("soft", 1, {{"CIDEr", {}}, {"METEOR", {}}})});
  const std::string missing =
      "soft (expectation) against none: no test, because not every run has "
      "such a score: ";
  CHECK_THAT(said(two), !Contains("no test"));
  CHECK_THAT(said(two, options("METEOR")), Contains(missing + "METEOR"));
  CHECK_THAT(said(two, options("CIDEr", {"METEOR=0.1", "pointing_accuracy=0.1"})),
             Contains(missing + "METEOR, pointing"));
}

TEST_CASE("primary metrics and margins that mean nothing are refused") {
  const auto refused = [](const std::string& primary, const std::vector<std::string>& margins) {
    return message_of<UsageError>([&] { judge_options(primary, margins); });
  };
  CHECK_THAT(refused("mean_length", {}), Contains("has no interval, or does not judge"));
  for (const char* name : {"CIDer", "cider", "CIDEr_", "CIDRe"})
    CHECK_THAT(refused(name, {}), Contains(std::string("--primary ") + name +
                                           ": there is no such metric (did you mean 'CIDEr'?)"));
  for (const auto& [word, name] : std::map<std::string, std::string>{
           {"bleu4", "Bleu_4"},
           {"BLEU-4", "Bleu_4"},
           {"rouge-l", "ROUGE_L"},
           {"true captions", "true_caption_rate"},
           {"correctness / area", "attention_correctness_normalized"}})
    CHECK_THAT(
        refused("", {word + "=0.1"}),
        Contains("--margin " + word + ": there is no such metric (did you mean '" + name + "'?)"));
  CHECK_THAT(refused("", {"CIDEr"}), Contains("write it as METRIC=VALUE"));
  CHECK_THAT(refused("", {"=3"}), Contains("--margin =3: write it as METRIC=VALUE"));
  for (const char* margin :
       {"CIDEr=", "CIDEr=0", "CIDEr=-1", "CIDEr=x", "CIDEr=1x", "CIDEr=nan", "CIDEr=inf",
        "CIDEr=0x1", "CIDEr=01", "CIDEr= 1", "CIDEr=1 ", "CIDEr=1e999", "CIDEr=0,1", "CIDEr==1"})
    CHECK_THAT(refused("", {margin}),
               Contains(std::string("--margin ") + margin + ": write it as"));
  CHECK_THAT(refused("", {"lr=1"}), Contains("--margin lr"));
  CHECK_THAT(refused("", {"Bleu_4=4"}), Contains("the metric lies between 0 and 1"));
  CHECK_THAT(refused("", {"CIDEr=0.1", "METEOR=0.1", "CIDEr=0.1"}),
             Contains("--margin CIDEr=0.1: CIDEr has a margin already"));
  const JudgeOptions good =
      judge_options("CIDEr", std::vector<std::string>{"METEOR=0.01", "CIDEr=.02", "Bleu_4=+1e-2"});
  CHECK(good.margins ==
        std::map<std::string, double>{{"METEOR", 0.01}, {"CIDEr", 0.02}, {"Bleu_4", 0.01}});
}

TEST_CASE("what a config declares counts where the command line declares nothing else") {
  Arm arm;
  arm.name = "soft";
  const std::vector<Arm> arms{arm};
  CompareConfig config;
  config.primary = "CIDEr";
  config.margins = {"CIDEr=0.02", "METEOR=0.01"};
  const JudgeOptions own = study_options({}, config, arms, false);
  CHECK(own.primary == "CIDEr");
  CHECK(own.margins == std::map<std::string, double>{{"CIDEr", 0.02}, {"METEOR", 0.01}});
  const JudgeOptions both = study_options(
      judge_options("ROUGE_L", std::vector<std::string>{"CIDEr=0.5"}), config, arms, false);
  CHECK(both.primary == "ROUGE_L");
  CHECK(both.margins == std::map<std::string, double>{{"CIDEr", 0.5}, {"METEOR", 0.01}});
  const auto refused = [&](const CompareConfig& wrong, const JudgeOptions& given) {
    return message_of<UsageError>([&] { study_options(given, wrong, arms, false); });
  };
  config.margins = {"METEOR=nan"};
  CHECK_THAT(refused(config, {}), Contains("compare.margins METEOR=nan: write it as"));
  config = {};
  config.primary = "exact_match";
  CHECK_THAT(refused(config, {}),
             Contains("compare.primary exact_match: nothing is judged by it here; choose one of "
                      "Bleu_1, ") &&
                 Contains("true_caption_rate"));
  CHECK(study_options(judge_options("CIDEr", {}), config, arms, false).primary == "CIDEr");
}

}  // namespace
}  // namespace saccade::test
