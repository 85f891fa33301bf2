// caption, overlay, evaluate, report and serve on a model that reads texts.
#include <nlohmann/json.hpp>

#include "experiments/commands/caption.h"
#include "experiments/commands/evaluate.h"
#include "experiments/commands/overlay.h"
#include "experiments/commands/report.h"
#include "experiments/commands/serve.h"
#include "experiments/pictures/alignment_maps.h"
#include "tests/experiments/commands/command_fixture.h"
#include "tests/support/catch.h"

namespace saccade::test::text_commands_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

constexpr int kBadData = static_cast<int>(ExitCode::kData);

ExperimentConfig with_transformer() {
  ExperimentConfig config = small_text_experiment();
  config.encoder.type = "text_transformer";
  config.encoder.text.heads = 2;
  return config;
}

TEST_CASE("texts are turned into words, and texts that cannot be read are left out") {
  const Fixture run(small_text_experiment());
  CaptionArgs args{.model = run.model(), .images = {"c a B", "c z a", "b"}};
  const Printed lines = printed([&] { return run_caption(args); });
  CHECK(lines.code == kBadData);  // the model does not know z
  CHECK_THAT(lines.text, Catch::StartsWith("c a B: ") && Contains("\nb: "));
  CHECK(lines.text.find("c z a") == std::string::npos);
  args.images = {"c a B"};
  args.json = true;
  const Printed result = printed([&] { return run_caption(args); });
  CHECK(result.code == kOk);
  const Json json = Json::parse(result.text).at(0);
  CHECK(json.at("tokens") == Json({"c", "a", "b"}));
  CHECK(json.at("grid").at("cells") == Json({0, 0, 3, 1}));
  for (const Json& word : json.at("words")) {
    const Json& weights = word.at("attention").at(0);
    REQUIRE(weights.size() == 6);
    for (std::size_t place = 3; place < 6; ++place) CHECK(weights.at(place) == 0);
  }
}

TEST_CASE("the overlay of a text is the matrix of its words and tokens") {
  const Fixture run(small_text_experiment());
  OverlayArgs args{.model = run.model(), .images = {"c a b", "c a b"}, .out = run.out().string()};
  const Printed result = printed([&] { return run_overlay(args); });
  CHECK(result.code == kOk);
  for (const char* name : {"c_a_b", "c_a_b-2"}) {
    for (const char* kind : {".json", ".alignment.png", ".alignment.svg"}) {
      const fs::path path = run.out() / (std::string(name) + kind);
      INFO(path);
      CHECK(fs::exists(path));
      CHECK(result.text.find(path.string() + "\n") != std::string::npos);
    }
    CHECK_FALSE(fs::exists(run.out() / (std::string(name) + ".sheet.png")));
    CHECK_FALSE(fs::exists(run.out() / name));
  }
  const std::string svg = TempFolder::read(run.out() / "c_a_b.alignment.svg");
  for (const char* token : {">c</text>", ">a</text>", ">b</text>", "token of the text"})
    CHECK(svg.find(token) != std::string::npos);
  args.images.clear();
  args.count = 1;
  CHECK(printed([&] { return run_overlay(args); }).code == kOk);
  CHECK(fs::exists(run.out() / "text-test-0.alignment.png"));
}

TEST_CASE("the maps of a text's encoder are matrices of its tokens") {
  const Fixture run(with_transformer());
  OverlayArgs args{.model = run.model(), .images = {"c a b"}, .out = run.out().string()};
  args.alignment = true;
  CHECK(printed([&] { return run_overlay(args); }).code == kOk);
  CHECK(fs::exists(run.out() / "c_a_b.encoder.layer-0.head-1.png"));
  args.alignment = false;
  args.maps.class_token = true;
  CHECK_THROWS_WITH(run_overlay(args), Contains("text_transformer has no class token"));
}

TEST_CASE("a matrix leaves out the padding behind a text") {
  Overlay overlay;
  overlay.tokens = {"x", "y"};
  overlay.words = {{.text = "y", .map = {.weights = {0.25F, 0.75F, 0, 0}, .layout = {{1, 4}}}},
                   {.text = "x", .map = {.weights = {1, 0, 0, 0}, .layout = {{1, 4}}}}};
  DecodedCaption caption;
  caption.words.resize(2);
  const HeatMap map = make_alignments(overlay, caption).at(0);
  CHECK(map.columns == std::vector<std::string>{"x", "y"});
  CHECK(map.rows == std::vector<std::string>{"y", "x"});
  CHECK(map.values == std::vector<float>{0.25F, 0.75F, 1, 0});
  LayerMap regions{.weights = Tensor({4, 4})};
  for (Index i = 0; i < 16; ++i) regions.weights[i] = static_cast<Real>(i);
  const HeatMap own = make_region_map(overlay, regions, {{1, 4}});
  CHECK(own.rows == overlay.tokens);
  CHECK(own.values == std::vector<float>{0, 1, 4, 5});
}

TEST_CASE("an evaluation on texts has a table by their length") {
  const Fixture run(small_text_experiment());
  EvaluateArgs args{.model = run.model(), .split = "val"};
  const Printed text = printed([&] { return run_evaluate(args); });
  CHECK_THAT(text.text, Contains("by the length of the text\ntokens") && Contains("exact match"));
  args.json = true;
  const Json json = Json::parse(printed([&] { return run_evaluate(args); }).text);
  const Json& lengths = json.at("regimes").at(0).at("by_length");
  Index texts = 0;
  for (const Json& one : lengths) texts += one.at("texts").get<Index>();
  CHECK(texts == json.at("n_images"));
}

TEST_CASE("a report shows texts as pictures of their tokens") {
  const Fixture run(small_text_experiment());
  const WrittenReport written = make_report({.runs = {run.checkpoint().string()},
                                             .out = (run.checkpoint() / "page.html").string(),
                                             .images = 2});
  CHECK(written.summary.images == 2);
  CHECK(TempFolder::read(written.path).find("\"tokens\":[\"") != std::string::npos);
}

TEST_CASE("commands that need pictures refuse a model of texts") {
  const Fixture run(small_text_experiment());
  CHECK_THROWS_WITH(run_serve({.checkpoints = {run.checkpoint().string()}}),
                    Contains("serve needs a model of pictures, and ") && Contains("reads texts"));
  CHECK_THROWS_WITH(run_caption({.model = run.model(), .watch = run.checkpoint().string()}),
                    Contains("--watch needs a model of pictures"));
  OverlayArgs field{.model = run.model(), .images = {"c a b"}, .out = run.out().string()};
  field.receptive_field = true;
  CHECK_THROWS_AS(run_overlay(field), UsageError);
}

}  // namespace
}  // namespace saccade::test::text_commands_test
