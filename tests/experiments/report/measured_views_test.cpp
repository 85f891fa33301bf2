// What a report measures inside its models equals what `inspect` prints, and what has no effect is
// refused; scores of texts are of the whole split.
#include "experiments/report/measured_views.h"

#include <nlohmann/json.hpp>

#include "captioning/study/inspection/gradient_flow.h"
#include "core/attention/scores/score_kind.h"
#include "core/base/error.h"
#include "experiments/commands/inspect_attention.h"
#include "experiments/commands/report.h"
#include "tests/experiments/printed.h"
#include "tests/experiments/small_run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

// The data of the page that a report writes.
Json data_of_report(ReportArgs args, const fs::path& out) {
  args.out = out.string();
  make_report(args);
  const std::string text = TempFolder::read(out), mark = "id=\"data\">";
  const std::size_t from = text.find(mark) + mark.size();
  return Json::parse(text.substr(from, text.find("</script>", from) - from));
}

std::string refusal(const ReportArgs& args) {
  try {
    make_report(args);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a report has the heads, gradients and words that inspect prints") {
  const TempFolder folder("measured");
  const std::string run = (folder / "run").string();
  write_small_run(run, small_transformer());
  ReportArgs args{.runs = {run}, .split = "val", .images = 4};
  args.heads = args.gradients = true;
  args.words = "a,red";
  const Json data = data_of_report(args, folder / "page.html");
  const Json& measured = data.at("models")[0].at("measured");
  CHECK(measured.at("images") == 4);
  // Inspect takes the first images of the split, and the report spreads its images over it.
  const auto inspected = [&](const std::string& word) {
    InspectAttentionArgs of{.checkpoint = run, .data = {"scenes.val=4"}};
    of.heads = of.gradients = true;
    of.word = word;
    of.json = true;
    return Json::parse(printed([&] { return run_inspect_attention(of); }).text);
  };
  args.data = {"scenes.val=4"};
  const Json same = data_of_report(args, folder / "same.html").at("models")[0].at("measured");
  const Json red = inspected("red");
  CHECK(same.at("heads").at("table").at("rows") == red.at("heads"));
  CHECK(same.at("heads").at("correlations") == red.at("head_correlations"));
  for (const auto& [key, value] : red.at("gradients").items())
    CHECK(same.at("gradients").at(key) == value);
  CHECK(same.at("words")[0] == inspected("a").at("word"));
  CHECK(same.at("words")[1] == red.at("word"));
  for (const char* part : {"heads", "gradients"})
    for (const Json& picture : measured.at(part).at("pictures"))
      CHECK_THAT(picture.at("picture").get<std::string>(), Catch::StartsWith("data:image/"));
  CHECK(measured.at("heads").at("pictures").size() == 3);  // shares; words and decoder
  CHECK(measured.at("gradients").at("pictures").size() == 4);
  CHECK_FALSE(data_of_report({.runs = {run}, .images = 1}, folder / "plain.html")
                  .at("models")[0]
                  .contains("measured"));
}

TEST_CASE("measures without effect are refused before anything is decoded") {
  const TempFolder folder("measured");
  const std::string blind = (folder / "blind").string(), seeing = (folder / "seeing").string();
  ExperimentConfig config = small_experiment();
  config.attention.score = ScoreKind::kNone;
  write_small_run(blind, config);
  write_small_run(seeing, small_experiment());
  ReportArgs args{.runs = {blind}, .out = (folder / "page.html").string(), .images = 1};
  args.heads = true;
  CHECK_THAT(refusal(args), Contains("--heads has no effect"));
  args.heads = false;
  args.gradients = true;
  CHECK_THAT(refusal(args), Contains("--gradients has no effect") && Contains("no attention"));
  args.gradients = false;
  args.words = "aardvark";
  CHECK_THAT(refusal(args), Contains("--words: blind: 'aardvark' is not in the vocabulary"));
  args.words = "a,,red";
  CHECK_THAT(refusal(args), Contains("'' is not one word"));
  CHECK_FALSE(fs::exists(folder / "page.html"));
  // Beside a model that has them, the other says why it has none.
  args.words = "";
  args.heads = args.gradients = true;
  args.runs = {blind, seeing};
  const Json models = data_of_report(args, folder / "page.html").at("models");
  CHECK_FALSE(models[0].at("measured").at("heads").contains("table"));
  CHECK_THAT(models[0].at("measured").at("gradients").at("left_out").get<std::string>(),
             Contains("no attention"));
  CHECK(models[1].at("measured").at("heads").at("table").at("rows").size() == 1);
}

TEST_CASE("a report of texts scores all texts of the split, exact matches first") {
  const TempFolder folder("measured");
  const std::string run = (folder / "texts").string();
  ExperimentConfig config = small_text_experiment();
  config.data.sequences.val = 60;
  write_small_run(run, config);
  const Json data =
      data_of_report({.runs = {run}, .split = "val", .images = 3}, folder / "page.html");
  CHECK(data.at("texts") == true);
  CHECK(data.at("images").size() == 3);
  CHECK(data.at("grouped") == 60);
  const EvaluationReport evaluated = Experiment(config).run();
  // The groups are those of an evaluation of the whole split.
  const auto& groups = evaluated.regimes[0].groups;
  const Json& shown = data.at("groups")[0];
  REQUIRE(shown.size() == groups.size());
  CHECK(shown[0].at("text") == "tokens of the text");
  REQUIRE(groups[0].groups.size() > 1);
  REQUIRE(shown[0].at("groups").size() == groups[0].groups.size());
  for (std::size_t g = 0; g < groups[0].groups.size(); ++g) {
    const Json& group = shown[0].at("groups")[g];
    CHECK(group.at("images") == groups[0].groups[g].images);
    CHECK(group.at("scores").size() == groups[0].groups[g].scores.size());
    for (const GroupScore& one : groups[0].groups[g].scores)
      CHECK(group.at("scores").at(one.metric).at("score").get<double>() == Approx(one.score));
  }
  for (const Json& text : data.at("images")) {
    const Json& scores = text.at("models")[0].at("regimes").begin()->at("scores");
    CHECK(scores.contains("exact_match"));
    CHECK(scores.contains("token_accuracy"));
    CHECK_FALSE(scores.contains("CIDEr"));
  }
}

TEST_CASE("models of different tasks are refused by their names and those of their data") {
  const TempFolder folder("measured");
  const auto run = [&](const std::string& name, const ExperimentConfig& config) {
    write_small_run(folder / name, config);
    return (folder / name).string();
  };
  ExperimentConfig reverse = small_text_experiment(), dates = reverse;
  reverse.data.sequences.task = SequenceTask::kReverse;
  dates.data.sequences.task = SequenceTask::kDates;
  dates.encoder.text.length = 12;
  ReportArgs args{.runs = {run("letters", reverse), run("days", dates)},
                  .out = (folder / "page.html").string(),
                  .images = 1};
  CHECK_THAT(refusal(args), Contains("a report shows models of the same data") &&
                                Contains("letters was trained on sequences-reverse") &&
                                Contains("days was trained on sequences-dates") &&
                                !Contains("did you mean"));
  args.runs[1] = run("scenes", small_experiment());
  CHECK_THAT(refusal(args), Contains("scenes was trained on scenes"));
  // Another seed of the same task is the same data in another version.
  reverse.data.sequences.seed += 1;
  args.runs[1] = run("other", reverse);
  CHECK(refusal(args).empty());
}

}  // namespace
}  // namespace saccade::test
