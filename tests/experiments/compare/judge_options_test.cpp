// What a comparison is asked to judge by: what is refused, and what a config declares.
#include "experiments/compare/judge_options.h"

#include <map>

#include "core/base/error.h"
#include "experiments/compare/arms.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

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
