// evaluate, caption, overlay and inspect on a checkpoint of a small untrained model.
#include <nlohmann/json.hpp>

#include "experiments/commands/caption.h"
#include "experiments/commands/evaluate.h"
#include "experiments/commands/inspect_attention.h"
#include "experiments/commands/overlay.h"
#include "experiments/pictures/overlay_files.h"
#include "tests/experiments/commands/command_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::model_commands_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kBadData = static_cast<int>(ExitCode::kData);

TEST_CASE("evaluate prints its object and writes result files") {
  const Fixture fixture("hard");
  EvaluateArgs args{.model = fixture.model(), .split = "val", .images = 5, .json = true};
  args.out = (fixture.folder() / "results.json").string();
  const Printed all = printed([&] { return run_evaluate(args); });
  CHECK(all.code == kOk);
  const Json json = Json::parse(all.text);
  CHECK(json.at("n_images") == 5);
  CHECK(json.at("split") == "val");
  CHECK(json.at("regimes").size() == 4);
  CHECK(json.at("regimes")[0].at("corpus").contains("pointing_nouns"));
  for (const char* name : {"results.argmax.json", "results.expectation.json", "results.sample.json",
                           "results.marginal.json"})
    CHECK(Json::parse(TempFolder::read(fixture.folder() / name)).size() == 5);
  args.model.regime = "expectation";
  args.model.mode = "greedy";
  args.json = false;
  CHECK(printed([&] { return run_evaluate(args); }).text.find("greedy") != std::string::npos);
  CHECK(Json::parse(TempFolder::read(args.out)).size() == 5);
}

TEST_CASE("a picture gets the caption that it has in an evaluation of its data set") {
  const Fixture fixture("hard");
  EvaluateArgs evaluation{.model = fixture.model(), .split = "val", .images = 3};
  evaluation.model.regime = "argmax";
  evaluation.out = (fixture.folder() / "results.json").string();
  printed([&] { return run_evaluate(evaluation); });
  const Json results = Json::parse(TempFolder::read(evaluation.out));
  const CaptionArgs args{.model = fixture.model(),
                         .images = {fixture.picture(0, "one.png"), fixture.picture(1, "two.png"),
                                    fixture.picture(2, "three.png")},
                         .json = true};
  const Json captions = Json::parse(printed([&] { return run_caption(args); }).text);
  REQUIRE(captions.size() == 3);
  CHECK(captions[0].at("words") != captions[1].at("words"));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(captions[i].at("caption") == results[i].at("caption"));
    CHECK(captions[i].at("image") == args.images[i]);
    REQUIRE_FALSE(captions[i].at("words").empty());
    const Json& word = captions[i].at("words")[0];
    CHECK(word.at("attention").size() == 4);
    CHECK(word.at("attention")[0].size() == 4);
    CHECK(word.at("sampled").size() == 2);
    CHECK(word.at("gate").is_number());
  }
}

TEST_CASE("a picture that cannot be read does not keep the others from being captioned") {
  const Fixture fixture("soft");
  const std::string good = fixture.picture(0, "good.png");
  CaptionArgs args{.model = fixture.model(), .images = {"/no/such.png", good}};
  const Printed text = printed([&] { return run_caption(args); });
  CHECK(text.code == kBadData);
  CHECK(text.text.starts_with(good + ": "));
  CHECK(std::count(text.text.begin(), text.text.end(), '\n') == 1);
  args.json = true;
  const Printed json = printed([&] { return run_caption(args); });
  CHECK(json.code == kBadData);
  CHECK(Json::parse(json.text).size() == 1);
  args.images = {"/no/such.png"};
  CHECK(printed([&] { return run_caption(args); }).text == "[]\n");
}

TEST_CASE("overlay writes a sheet, the weights and one panel per word") {
  const Fixture fixture("hard");
  OverlayArgs args{.model = fixture.model(),
                   .images = {fixture.picture(0, "a/x.png"), fixture.picture(1, "b/x.png")}};
  args.out = fixture.out().string();
  REQUIRE(printed([&] { return run_overlay(args); }).code == kOk);
  std::ofstream(fs::path(args.out) / "x" / "99-old.png") << "of an earlier, longer caption";
  const Printed result = printed([&] { return run_overlay(args); });
  CHECK(result.code == kOk);
  for (const std::string name : {"x", "x-2"}) {
    INFO(name);
    const fs::path out = args.out;
    const Json json = Json::parse(TempFolder::read(out / (name + ".json")));
    CHECK(read_image(out / (name + ".sheet.png")).width > 200);
    std::size_t panels = 0;
    for (const auto& entry : fs::directory_iterator(out / name)) {
      CHECK(read_image(entry.path()).width == 32);
      CHECK(result.text.find(entry.path().string()) != std::string::npos);
      ++panels;
    }
    CHECK(panels == json.at("words").size());
  }
  args.images.clear();
  args.split = "test";
  args.count = 2;
  CHECK(printed([&] { return run_overlay(args); }).code == kOk);
  CHECK(fs::exists(fs::path(args.out) / "scene-test-1.sheet.png"));
  CHECK_FALSE(fs::exists(fs::path(args.out) / "scene-test-1.alignment.png"));
  args.alignment = true;
  const Printed with = printed([&] { return run_overlay(args); });
  for (const char* name : {"scene-test-1.alignment.png", "scene-test-1.alignment.svg"})
    CHECK(with.text.find((fs::path(args.out) / name).string() + "\n") != std::string::npos);
  CHECK(read_image(fs::path(args.out) / "scene-test-1.alignment.png").width >= 480);
  const Json words =
      Json::parse(TempFolder::read(fs::path(args.out) / "scene-test-1.json")).at("words");
  const std::string svg = TempFolder::read(fs::path(args.out) / "scene-test-1.alignment.svg");
  for (const Json& word : words)
    CHECK(svg.find(">" + word.at("text").get<std::string>() + "</text>") != std::string::npos);
}

TEST_CASE("with several heads there is an alignment for each and one for their mean") {
  Overlay overlay;
  overlay.words = {{.text = "a", .map = {.weights = {0.25F, 0.75F}, .layout = {{1, 2}}}},
                   {.text = "b", .map = {.weights = {0.5F, 0.5F}, .layout = {{1, 2}}}}};
  DecodedCaption caption;
  caption.words.resize(2);
  CHECK(make_alignments(overlay, caption).size() == 1);
  const MapPart mean{.count = 2, .fused = Fusion::kMean};
  caption.words[0].parts = {{.weights = {0, 1}, .layout = {{1, 2}}},
                            {.weights = {0.5F, 0.5F}, .layout = {{1, 2}}}};
  caption.words[1].parts = {{.weights = {1, 0}, .layout = {{1, 2}}},
                            {.weights = {0, 1}, .layout = {{1, 2}}}};
  for (LabelledMap& word : overlay.words) word.map.head = mean;
  const std::vector<HeatMap> maps = make_alignments(overlay, caption);
  REQUIRE(maps.size() == 3);
  CHECK(maps[0].values == std::vector<float>{0.25F, 0.75F, 0.5F, 0.5F});
  CHECK(maps[1].values == std::vector<float>{0, 1, 1, 0});
  CHECK(maps[2].values == std::vector<float>{0.5F, 0.5F, 0, 1});
  CHECK(maps[2].title.find("head 1") != std::string::npos);
  // The sentinel is the last column of the mean's matrix.
  overlay.words[0].map.sentinel = 0.5;
  const auto with = make_alignments(overlay, caption);
  CHECK(with[0].columns == std::vector<std::string>{"0", "1", "sentinel"});
  CHECK(with[0].values == std::vector<float>{0.25F, 0.75F, 0.5F, 0.5F, 0.5F, 0});
  CHECK(with[1].columns.size() == 2);
}

TEST_CASE("an overlay also draws the attention among regions and among words") {
  ExperimentConfig config = test::small_experiment("hard");
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 2;
  config.decoder.type = "transformer";
  config.decoder.layers = 2;
  config.decoder.heads = 3;
  config.search.min_length = 2;  // so that there are words that attend to words
  const Fixture fixture(config);
  OverlayArgs args{.model = fixture.model(), .images = {fixture.picture(0, "x.png")}};
  args.out = fixture.out().string();
  args.alignment = true;
  const Printed result = printed([&] { return run_overlay(args); });
  CHECK(result.code == kOk);
  for (const char* name : {"refine.layer-0.head-1", "words.layer-1.head-2"})
    for (const char* kind : {".png", ".svg"}) {
      const fs::path path = fs::path(args.out) / ("x." + std::string(name) + kind);
      INFO(path);
      CHECK(result.text.find(path.string() + "\n") != std::string::npos);
      CHECK(fs::exists(path));
    }
  CHECK_FALSE(fs::exists(fs::path(args.out) / "x.refine.layer-0.head-2.png"));
  const std::string svg = TempFolder::read(fs::path(args.out) / "x.words.layer-0.head-0.svg");
  CHECK(svg.find("&lt;bos&gt;</text>") != std::string::npos);
}

TEST_CASE("the message on a wrong value of an option names it or the choices") {
  const Fixture fixture("soft");
  EvaluateArgs args{.model = fixture.model()};
  args.model.regime = "argmax";
  CHECK(message_of<UsageError>([&] { run_evaluate(args); }).find("choose from expectation") !=
        std::string::npos);
  args.model = fixture.model();
  args.model.set = {"search.bean=2"};
  CHECK(message_of<UsageError>([&] { run_evaluate(args); }).find("did you mean 'beam'") !=
        std::string::npos);
  args.model.set = {};
  args.model.data = {"type=folder", "images=/no/such/place"};
  CHECK(message_of<DataError>([&] { run_evaluate(args); }).find("data.images: /no/such/place") ==
        0);
  args.model = {.checkpoint = "/no/such/checkpoint.h5"};
  CHECK_THROWS_AS(run_evaluate(args), CheckpointError);
  OverlayArgs overlay{.model = fixture.model()};
  overlay.drawing.style = "celss";
  CHECK(message_of<UsageError>([&] { run_overlay(overlay); }).find("did you mean 'cells'") !=
        std::string::npos);
}

TEST_CASE("an overlay shows the layers and heads that its options name, and the class token") {
  const Fixture fixture(with_transformers());
  OverlayArgs args{.model = fixture.model(), .images = {fixture.picture(0, "x.png")}};
  const fs::path out = args.out = fixture.out().string();
  const auto json = [&] { return Json::parse(TempFolder::read(out / "x.json")); };
  printed([&] { return run_overlay(args); });
  const Json plain = json();
  const Image sheet = read_image(out / "x.sheet.png");
  CHECK_FALSE(plain.contains("maps"));
  CHECK_FALSE(plain.contains("class_token"));
  args.maps = {.layer = "1", .head = "mean"};  // the maps that are drawn by default
  printed([&] { return run_overlay(args); });
  const Json own = json();
  CHECK(own.at("maps").size() == 1);
  for (std::size_t w = 0; w < plain.at("words").size(); ++w) {
    const Json &maps = own.at("maps")[0].at("attention")[w],
               &attention = plain.at("words")[w].at("attention");
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        CHECK(std::abs(maps[r][c].get<double>() - attention[r][c].get<double>()) < 1e-5);
  }
  // caption --all-maps gives the maps that an overlay of all layers and heads gives.
  args.maps = {.layer = "all", .head = "all"};
  args.out = (fixture.folder() / "all").string();
  printed([&] { return run_overlay(args); });
  const Json drawn = Json::parse(TempFolder::read(fs::path(args.out) / "x.json"));
  args.out = out.string();
  CaptionArgs captions{
      .model = fixture.model(), .images = args.images, .all_maps = true, .json = true};
  const Json all_maps = Json::parse(printed([&] { return run_caption(captions); }).text)[0];
  REQUIRE(all_maps.at("maps").size() == 4);
  CHECK(all_maps.at("maps") == drawn.at("maps"));
  CHECK(all_maps.at("words") == plain.at("words"));
  captions.json = false;
  CHECK(message_of<UsageError>([&] { run_caption(captions); }).find("--all-maps") == 0);
  args.maps = {.layer = "all", .head = "all", .rollout = true, .class_token = true};
  args.alignment = true;
  const Printed all = printed([&] { return run_overlay(args); });
  CHECK(all.code == kOk);
  const Json views = json();
  REQUIRE(views.at("maps").size() == 4);
  CHECK(views.at("maps")[1].at("layer") == 0);
  CHECK(views.at("maps")[1].at("head") == 1);
  CHECK(views.at("maps")[1].at("rollout") == true);
  CHECK(views.at("words") == plain.at("words"));
  double sum = views.at("maps")[3].at("elsewhere")[0].get<double>();
  for (const Json& row : views.at("maps")[3].at("attention")[0])
    for (const Json& weight : row) sum += weight.get<double>();
  CHECK(std::abs(sum - 1) < 1e-5);
  CHECK(views.at("class_token").size() == 2 * 3 + 1);
  CHECK(views.at("class_token")[6].at("layer").is_null());
  CHECK(read_image(out / "x.sheet.png").height > 2 * sheet.height);
  for (const char* name : {"x.class-token.sheet.png", "x.encoder.layer-1.head-1.png",
                           "x.alignment.layer-0.head-1.rollout.svg"}) {
    INFO(name);
    CHECK(all.text.find((out / name).string() + "\n") != std::string::npos);
    CHECK(fs::exists(out / name));
  }
  const std::size_t words = views.at("words").size();
  const auto panels = std::distance(fs::directory_iterator(out / "x"), fs::directory_iterator());
  CHECK(static_cast<std::size_t>(panels) == 4 * words);
}

TEST_CASE("a view outlines the cell and shows the gate of its own glimpse") {
  Overlay overlay;
  overlay.words = {
      {.text = "a",
       .map = {.weights = {0.5F, 0.5F}, .layout = {{1, 2}}, .gate = 0.25, .chosen = 1}}};
  CaptionRecord record;
  // Layer l took cell l, and its gate is (l + 1) / 4.
  DecodedWord& decoded = record.caption.words.emplace_back();
  for (int l : {0, 1})
    decoded.parts.push_back({.weights = {0, 1},
                             .layout = {{1, 2}},
                             .layer = {.number = l, .count = 2},
                             .gate = (l + 1) / 4.0,
                             .chosen = l});
  const MapChoice each{.kind = MapChoice::Kind::kEach};
  const EncoderMaps encoder{.layout = {{1, 2}}};
  record.views = map_views(record.caption, {.layer = each});
  for (const MapRequest& request : {MapRequest{.layer = MapChoice{}}, MapRequest{.rollout = true}})
    record.views.push_back(map_views(record.caption, request, encoder)[0]);
  const std::vector<ViewOverlay> views = view_overlays(overlay, record);
  REQUIRE(views.size() == 4);
  const std::vector<int> regions{0, 1, -1, -1};
  const std::vector<std::optional<double>> gates{0.25, 0.5, std::nullopt, 0.5};
  for (std::size_t v = 0; v < 4; ++v) {
    const AttentionMap& map = views[v].overlay.words[0].map;
    CHECK(map.chosen == regions[v]);
    CHECK(map.gate == gates[v]);
    CHECK(map.weights == std::vector<float>{0, 1});
  }
  CHECK(views[3].suffix == ".layer-1.head-0.rollout");
  record.views.resize(1);
  CHECK(view_overlays(overlay, record).at(0).suffix.empty());
}

TEST_CASE("maps that a model does not have are refused with the reason") {
  const auto refusal = [](const ExperimentConfig& config, const MapArgs& args) {
    return message_of<UsageError>([&] { map_request(args, config); });
  };
  const auto says = [](const std::string& message, const char* text) {
    CAPTURE(message);
    return message.find(text) != std::string::npos;
  };
  ExperimentConfig config = with_transformers();
  CHECK(says(refusal(config, {.layer = "2"}), "decoder.layers is 2: choose 0 to 1, all, mean"));
  CHECK(says(refusal(config, {.head = "first"}), "--head: there is no 'first'"));
  CHECK(says(refusal(config, {.discard = 0.5}), "no rollout is drawn"));
  CHECK(says(refusal(config, {.rollout = true, .discard = 1}), "at least 0 and below 1"));
  CHECK(map_request({.layer = "max", .head = "1", .rollout = true}, config).head.number == 1);
  config.attention.heads = 1;
  CHECK(says(refusal(config, {.head = "mean"}), "attention.heads is 1"));
  config.encoder.vit.class_token = false;
  CHECK(says(refusal(config, {.class_token = true}), "encoder.vit.class_token is false"));
  config.encoder.refine.layers = 1;
  config.encoder.refine.type = "differential";
  CHECK(says(refusal(config, {.rollout = true}), "may be below 0"));
  config.encoder.refine.type = "linformer";
  CHECK(says(refusal(config, {.rollout = true}), "mixtures"));
  config.encoder.type = "cnn";
  config.encoder.refine.layers = 0;
  CHECK(says(refusal(config, {.rollout = true}), "encoder.type cnn has no attention"));
  CHECK(says(refusal(config, {.class_token = true}), "encoder.type cnn has no class token"));
  config.decoder.type = "gru";
  CHECK(says(refusal(config, {.layer = "0"}), "decoder.type gru attends once per word"));
}

TEST_CASE("inspect measures the patches of a transformer encoder") {
  const Fixture fixture(with_transformers());
  InspectAttentionArgs args{
      .checkpoint = fixture.checkpoint().string(), .patches = true, .images = 2, .json = true};
  const Json json = Json::parse(printed([&] { return run_inspect_attention(args); }).text);
  CHECK(json.at("patches").at("patches") == 2 * 16);
  CHECK(json.at("patches").at("outlier_share") <= 1);
  args.json = false;
  CHECK(printed([&] { return run_inspect_attention(args); }).text.find("outlier_share") !=
        std::string::npos);
  const Fixture cnn("soft");
  args.checkpoint = cnn.checkpoint().string();
  CHECK(message_of<UsageError>([&] { run_inspect_attention(args); }).find("has no tokens") !=
        std::string::npos);
}

TEST_CASE("words become safe parts of file names") {
  CHECK(file_part("кот") == "кот");
  CHECK(file_part("../../etc") == "_._.._etc");
  CHECK(file_part("a b\x1b") == "a_b_");
  CHECK(file_part("") == "_");
  CHECK(file_part(std::string(500, 'x')).size() == 120);
}

}  // namespace
}  // namespace saccade::test::model_commands_test
