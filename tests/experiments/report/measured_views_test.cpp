// What a report measures inside its models equals what `inspect` prints, and what has no effect is
// refused; scores of texts are of the whole split.
#include "experiments/report/measured_views.h"

#include <nlohmann/json.hpp>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/model/maps/layer_maps.h"
#include "captioning/model/maps/map_views.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "captioning/study/inspection/gradient_flow.h"
#include "experiments/commands/inspect_attention.h"
#include "experiments/commands/report.h"
#include "experiments/report/self_attention.h"
#include "tests/experiments/printed.h"
#include "tests/experiments/small_run.h"
#include "tests/support/base64_bytes.h"
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
  config.attention.score = "none";
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

// The maps of regions and words among themselves, as a page has them, against those that the model
// computes.

using OrderedJson = nlohmann::ordered_json;

// Requires that a map of the JSON is these weights, up to half a step of its rows.
void check_map(const OrderedJson& json, ConstView weights) {
  REQUIRE(json.at("rows") == weights.rows());
  REQUIRE(json.at("cols") == weights.cols());
  const std::vector<int> bytes = bytes_of(json.at("weights"));
  REQUIRE(static_cast<Index>(bytes.size()) == weights.size());
  double most = 0;
  for (Index r = 0; r < weights.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const double low = json.at("low")[row], high = json.at("high")[row];
    for (Index c = 0; c < weights.cols(); ++c) {
      const int byte = bytes[static_cast<std::size_t>(r * weights.cols() + c)];
      const double apart = low + (high - low) * byte / 255 - static_cast<double>(weights.row(r)[c]);
      most = std::max(most, std::abs(apart) - (high - low) / 510);
    }
  }
  CHECK(most < 1e-6);
}

struct Decoded {
  Experiment experiment;
  InputBatch input;
  DecodedCaption caption;

  explicit Decoded(const ExperimentConfig& config)
      : experiment(config),
        input(experiment.inputs.batch(images())),
        caption(decode_images(experiment.model, experiment.inputs, images(), search(), {})[0]) {}

  std::vector<Index> images() const {
    return evaluation_images(experiment.data.dataset, Split::kVal, 1);
  }
  SearchOptions search() const {
    SearchOptions search = experiment.request().search;
    search.recording.words = true;
    return search;
  }
  OrderedJson json() const { return self_attention_json(experiment.model, input.view(), caption); }
  EncoderMaps maps() const { return encoder_maps(experiment.model, input.view()); }
};

TEST_CASE("a page has the maps of encoder, refinement and words, and the rollout") {
  ExperimentConfig config = small_transformer();
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 8, .layers = 2, .heads = 2, .patch = 8, .registers = 1};
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 2;
  const Decoded decoded(config);
  const OrderedJson json = decoded.json();
  const EncoderMaps maps = decoded.maps();
  CHECK(json.at("class_token") == true);
  REQUIRE(maps.placeless == 2);
  const OrderedJson& regions = json.at("regions");
  REQUIRE(regions.size() == 1 + 2 * 2 + 2);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(regions[1 + i].at("of") == "encoder");
    CHECK(regions[1 + i].at("layer") == i / 2);
    CHECK(regions[1 + i].at("head") == i % 2);
    check_map(regions[1 + i], maps.tokens[i].weights.view());
  }
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(regions[5 + i].at("of") == "refinement");
    check_map(regions[5 + i], maps.regions[i].weights.view());
  }
  CHECK(regions[0].at("of") == "rollout");
  CHECK(regions[0].at("layer").is_null());
  const Tensor rollout = region_rollout(maps, 0);
  const Index count = rollout.shape()[0], columns = rollout.shape()[1];
  Tensor expected({count + 1, columns});
  const AttentionMap token = class_token_views(maps, 0).back()[0];
  expected[0] = static_cast<Real>(token.elsewhere.value());
  std::copy(token.weights.begin(), token.weights.end(), expected.data() + maps.placeless);
  std::copy_n(rollout.data(), rollout.size(), expected.data() + columns);
  check_map(regions[0], expected.view());
  const std::vector<LayerMap> words = word_maps(decoded.caption);
  REQUIRE(!words.empty());
  REQUIRE(json.at("words").size() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(json.at("words")[i].at("layer") == words[i].layer);
    CHECK(json.at("words")[i].at("head") == words[i].head);
    check_map(json.at("words")[i], words[i].weights.view());
  }
}

TEST_CASE("what is no map of regions is left out") {
  CHECK(Decoded(small_experiment()).json().is_null());
  // Mixtures are no regions.
  ExperimentConfig config = small_experiment();
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 1;
  config.encoder.refine.type = "linformer";
  CHECK(Decoded(config).json().is_null());
  // Weights below 0 are no shares, so they cannot be rolled out, but they are maps.
  config.encoder.refine.type = "differential";
  const Decoded differential(config);
  const OrderedJson json = differential.json();
  REQUIRE(json.at("regions").size() == 1);
  CHECK(json.at("class_token") == false);
  CHECK(json.at("words").empty());
  check_map(json.at("regions")[0], differential.maps().regions.at(0).weights.view());
}

}  // namespace
}  // namespace saccade::test
