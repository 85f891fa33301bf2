// What inspect measures of a model's attention, and models that do without heads.
#include "experiments/commands/inspect_attention.h"

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "experiments/cli.h"
#include "experiments/commands/caption.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/evaluate.h"
#include "experiments/commands/overlay.h"
#include "tests/experiments/commands/command_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::inspect_attention_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("inspect --heads describes every head as a table, as JSON and as pictures") {
  const Fixture fixture(with_transformers());
  const fs::path out = fixture.folder() / "pictures";
  InspectAttentionArgs args{.checkpoint = fixture.checkpoint().string(),
                            .heads = true,
                            .images = 3,
                            .json = true,
                            .out = out.string()};
  const Json json = Json::parse(printed([&] { return run_inspect_attention(args); }).text);
  // 2 x 2 of the encoder, 2 x 3 among words, 2 x 2 of words to the image.
  REQUIRE(json.at("heads").size() == 4 + 6 + 4);
  for (const Json& head : json.at("heads")) {
    CHECK(head.at("name") == head.at("place").get<std::string>() + "." +
                                 std::to_string(head.at("layer").get<int>()) + "." +
                                 std::to_string(head.at("head").get<int>()));
    for (const char* share : {"previous", "next", "first", "diagonal", "content", "entropy"}) {
      const bool of_places = share != std::string("content") && share != std::string("entropy");
      if (of_places && head.at("place") == "decoder") {  // words have no places on the grid
        CHECK(head.at(share).is_null());
        continue;
      }
      CHECK(head.at(share) >= 0);
      CHECK(head.at(share) <= 1 + 1e-6);
    }
    CHECK(head.at("correlation") <= 1);
  }
  CHECK(json.at("heads_left_out").empty());
  REQUIRE(json.at("head_correlations").size() == 3);
  const Json& words = json.at("head_correlations")[1];
  CHECK(words.at("place") == "words");
  REQUIRE(words.at("matrix").size() == 6);
  for (std::size_t a = 0; a < 6; ++a) {
    CHECK(words.at("matrix")[a][a] == 1);
    CHECK(words.at("matrix")[a][0] == words.at("matrix")[0][a]);
  }
  CHECK(json.at("pictures").size() == 2 * 4);
  for (const Json& path : json.at("pictures")) CHECK(fs::exists(path.get<std::string>()));
  const std::string svg = TempFolder::read(out / "heads.words.correlation.svg");
  CHECK(says(svg, ">words.1.2</text>"));
  args.json = false;
  args.out = "";
  const std::string table = printed([&] { return run_inspect_attention(args); }).text;
  CHECK(says(table, "encoder.1.1"));
  CHECK(says(table, "closest"));
}

TEST_CASE("inspect --heads shows a single head, and says that it leaves out heads over mixtures") {
  ExperimentConfig refined = small_experiment(), encoded = refined;
  refined.encoder.refine.layers = 1;
  refined.encoder.refine.type = "linformer";
  encoded.encoder.type = "vit";
  encoded.encoder.vit = {.width = 12, .layers = 1, .heads = 3, .patch = 8};
  encoded.encoder.vit.attention.type = "linformer";
  encoded.encoder.vit.attention.projected = 4;
  for (const ExperimentConfig& config : {refined, encoded}) {
    const Fixture fixture(config);
    InspectAttentionArgs args{
        .checkpoint = fixture.checkpoint().string(), .heads = true, .images = 2, .json = true};
    const Json json = Json::parse(printed([&] { return run_inspect_attention(args); }).text);
    REQUIRE(json.at("heads").size() == 1);
    CHECK(json.at("heads")[0].at("name") == "decoder.0.0");
    CHECK(json.at("heads")[0].at("closest").is_null());
    CHECK(json.at("head_correlations").empty());
    REQUIRE(json.at("heads_left_out").size() == 1);
    CHECK(says(json.at("heads_left_out")[0], "mixtures"));
    if (config.encoder.type == "vit")
      CHECK(says(json.at("heads_left_out")[0], "encoder: linformer"));
  }
}

TEST_CASE("inspect --gradients shows every layer and head, and draws both paths") {
  const Fixture fixture(with_transformers());
  const fs::path out = fixture.folder() / "pictures";
  InspectAttentionArgs args{.checkpoint = fixture.checkpoint().string(),
                            .gradients = true,
                            .images = 2,
                            .json = true,
                            .out = out.string()};
  const Json json = Json::parse(printed([&] { return run_inspect_attention(args); }).text);
  const Json& gradients = json.at("gradients");
  CHECK(gradients.at("layers") == 2);
  REQUIRE(gradients.at("heads").size() == 2 * 3);
  CHECK(gradients.at("heads")[0].at("head").is_null());
  CHECK(gradients.at("heads")[5].at("layer") == 1);
  CHECK(gradients.at("heads")[5].at("head") == 1);
  CHECK(gradients.at("heads")[5].at("score").at("by_region").size() == 16);
  CHECK(json.at("pictures").size() == 2 * 4);
  CHECK(says(TempFolder::read(out / "gradients.score.words.svg"), ">layer 1, head 1</text>"));
  args.json = false;
  CHECK(says(printed([&] { return run_inspect_attention(args); }).text, "layer 0, head 1"));
}

TEST_CASE("inspect --word shows the words near a word, stage by stage") {
  const Fixture fixture(with_transformers());
  InspectAttentionArgs args{.checkpoint = fixture.checkpoint().string(),
                            .word = "a",
                            .captions = {"a", "and a"},
                            .images = 2,
                            .json = true};
  const Json json = Json::parse(printed([&] { return run_inspect_attention(args); }).text);
  const Json& words = json.at("word");
  CHECK(words.at("captions") == Json{"a", "and a"});
  REQUIRE(words.at("stages").size() == 6);
  CHECK(words.at("stages")[0].at("between").is_null());
  CHECK(words.at("stages")[5].at("between").is_number());
  REQUIRE(words.at("stages")[2].at("neighbours").size() == 2);
  CHECK(words.at("stages")[2].at("neighbours")[1][0].at("caption").is_string());
  args.json = false;
  CHECK(says(printed([&] { return run_inspect_attention(args); }).text, "layer 1 after: between"));
  args.word = "aa";
  CHECK(says(message_of<UsageError>([&] { run_inspect_attention(args); }),
             "'aa' is not in the vocabulary"));
}

TEST_CASE("evaluate and caption do without the heads that are named, beside the whole model") {
  const Fixture fixture(with_transformers());
  EvaluateArgs args{.model = fixture.model(), .split = "val", .images = 6, .json = true};
  args.no_ablations = true;
  const Json whole = Json::parse(printed([&] { return run_evaluate(args); }).text);
  CHECK_FALSE(whole.contains("without"));
  args.model.without = {"decoder.0,decoder.1", "words.1.0"};
  const Json without = Json::parse(printed([&] { return run_evaluate(args); }).text);
  CHECK(without.at("without").at("heads") ==
        Json{"words.1.0", "decoder.0.0", "decoder.0.1", "decoder.1.0", "decoder.1.1"});
  // The scores of the whole model are those of an evaluation without the option.
  const Json& scores = without.at("without").at("whole");
  CHECK(scores.contains("CIDEr"));
  for (const auto& [name, score] : whole.at("regimes")[0].at("corpus").items())
    if (scores.contains(name)) CHECK(scores.at(name) == score);
  CHECK(scores.at("perplexity") == whole.at("perplexity"));
  CHECK(scores.at("attention_entropy") == whole.at("attention_health").at("entropy"));
  CHECK(without.at("regimes")[0].at("corpus") != whole.at("regimes")[0].at("corpus"));
  args.json = false;
  const std::string table = printed([&] { return run_evaluate(args); }).text;
  CHECK(says(table, "without the heads words.1.0, decoder.0.0"));
  CHECK(says(table, "all heads"));
  CHECK(says(table, "change"));

  CaptionArgs captions{.model = fixture.model(),
                       .images = {fixture.picture(0, "one.png"), fixture.picture(1, "two.png")},
                       .json = true};
  const Json before = Json::parse(printed([&] { return run_caption(captions); }).text);
  CHECK_FALSE(before[0].contains("without"));
  captions.model.without = args.model.without;
  const Json after = Json::parse(printed([&] { return run_caption(captions); }).text);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(after[i].at("without").at("whole") == before[i].at("caption"));
    CHECK(after[i].at("without").at("heads").size() == 5);
  }
  // Without its heads for the image, the decoder writes the same about both pictures.
  CHECK(after[0].at("caption") == after[1].at("caption"));
  CHECK(before[0].at("words") != before[1].at("words"));
  captions.json = false;
  CHECK(says(printed([&] { return run_caption(captions); }).text,
             "\n  with all heads: " + before[0].at("caption").get<std::string>() + "\n"));
  captions.model.without = {"words.9.0"};
  CHECK(says(message_of<UsageError>([&] { run_caption(captions); }),
             "--without: the model has no head 'words.9.0'; choose from encoder.0.0 to "
             "encoder.1.1, words.0.0 to words.1.2, decoder.0.0 to decoder.1.1"));
}

TEST_CASE("the layers of an ONNX file are one JSON object, like every other output") {
  const TempFolder folder("inspect-onnx");
  const std::string file = (folder / "small.onnx").string();
  save_small_onnx(file);
  const std::array<const char*, 6> arguments{"saccade", "inspect",      file.c_str(),
                                             "--json",  "--image-size", "32"};
  const Printed listed = printed([&] {
    return run_program(static_cast<int>(arguments.size()), arguments.data(), {}, kAllCommands);
  });
  REQUIRE(listed.code == 0);
  const nlohmann::json json = nlohmann::json::parse(listed.text);
  REQUIRE(json.is_object());
  CHECK(json.at("schema_version") == 1);
  CHECK(json.at("file") == file);
  REQUIRE(json.at("layers").is_array());
  bool last = false;
  for (const nlohmann::json& layer : json.at("layers")) {
    CHECK(layer.contains("type"));
    CHECK(layer.at("shape").size() == 4);
    last = last || layer.at("name") == "last";
  }
  CHECK(last);
}

}  // namespace
}  // namespace saccade::test::inspect_attention_test
