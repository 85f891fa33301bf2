// The data of a report: captions equal those of the other commands, and maps survive being packed
// into bytes.
#include "experiments/commands/report.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/model/maps/packed_maps.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "core/io/base64.h"
#include "experiments/commands/overlay.h"
#include "experiments/commands/shown_models.h"
#include "experiments/report/report_data.h"
#include "experiments/report/report_page.h"
#include "tests/experiments/printed.h"
#include "tests/experiments/small_models.h"
#include "tests/experiments/small_run.h"
#include "tests/support/base64_bytes.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::report_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string base64_of(const std::string& text) {
  return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST_CASE("base64 follows RFC 4648") {
  CHECK(base64_of("") == "");
  CHECK(base64_of("f") == "Zg==");
  CHECK(base64_of("fo") == "Zm8=");
  CHECK(base64_of("foo") == "Zm9v");
  CHECK(base64_of("foobar") == "Zm9vYmFy");
  CHECK(base64_of("\xff\xfe") == "//4=");
}

TEST_CASE("the error of packed maps is at most half a step") {
  const std::vector<AttentionMap> maps{
      {.weights = {0.1F, 0.9F}}, {.weights = {-0.2F, 0.5F}}, {.weights = {0.25F, 0.75F}}};
  MapPacking packing;
  for (const AttentionMap& map : maps) packing.include(map);
  const float step = (packing.high() - packing.low()) / 255;
  for (const AttentionMap& map : maps) {
    const std::vector<int> bytes = bytes_of(packing.packed(map));
    REQUIRE(bytes.size() == 2);
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(std::abs(packing.low() + step * static_cast<float>(bytes[i]) - map.weights[i]) <=
            step / 2 + 1e-6F);
  }
  MapPacking flat;
  flat.include({.weights = {0, 0}});
  CHECK(flat.high() == 0);
  CHECK(bytes_of(flat.packed({.weights = {0, 0}})) == std::vector<int>{0, 0});
  CHECK_THROWS_AS(flat.include({.weights = {0, NAN}}), ShapeError);
}

// The weights of a packed map of a caption, and by how much they may be off.
std::vector<double> unpacked(const Json& caption, const Json& map) {
  const Json& scale = caption.at("packed");
  const double low = scale.at("low"), high = scale.at("high");
  std::vector<double> out;
  for (const int byte : bytes_of(map)) out.push_back(low + (high - low) * byte / 255);
  return out;
}
double tolerance(const Json& caption) {
  const Json& scale = caption.at("packed");
  return (scale.at("high").get<double>() - scale.at("low").get<double>()) / 510 + 1e-5;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_CASE("data cannot end the HTML element that contains them") {
  const std::string empty = report_page("{}");
  CHECK(empty.find("const METRICS = {\"") < empty.find("metricName"));
  const std::string page = report_page(R"({"a":"</script><!--<script>{data}/*{script}*/"})");
  for (const char* mark : {"</script", "<script", "<!--"})
    CHECK(count(page, mark) == count(empty, mark));
  CHECK(page.find(R"("\u003c/script>\u003c!--\u003cscript>{data}/*{script}*/")") !=
        std::string::npos);
}

// The data in a page.
Json data_of(const fs::path& page) {
  const std::string text = TempFolder::read(page), mark = "id=\"data\">";
  const std::size_t from = text.find(mark) + mark.size();
  return Json::parse(text.substr(from, text.find("</script>", from) - from));
}

TEST_CASE("a report shows the captions, maps and scores of the other commands") {
  const TempFolder folder("report");
  const ExperimentConfig config = small_experiment("hard");
  write_small_run(folder / "hard", config);
  const WrittenReport written =
      make_report({.runs = {(folder / "hard").string()}, .split = "val", .images = 20});
  CHECK(written.path == folder / "hard" / "report.html");
  CHECK(written.summary.images == 20);
  const Json data = data_of(written.path);
  CHECK(data.at("split_images") == 20);
  CHECK(data.at("models")[0].at("regimes") ==
        Json({"argmax", "expectation", "sample", "marginal"}));
  CHECK(data.at("curves")[0].at("updates").at("loss").size() == 20);
  CHECK(data.at("curves")[0].at("validations").at("Bleu_4") == Json({0.25}));

  // Over a whole split, the means of the images' numbers equal those of the evaluation.
  const EvaluationReport evaluated = Experiment(config).run();
  const std::map<std::string, double> corpus = first_scores(evaluated);
  double cider = 0, truth = 0, hits = 0, nouns = 0;
  for (const Json& image : data.at("images")) {
    const Json& decoded = image.at("models")[0].at("regimes").at("argmax");
    cider += decoded.at("scores").at("CIDEr").get<double>() / 20;
    for (const MetricInfo& info : all_metrics())
      CHECK(decoded.at("scores").contains(info.name) ==
            ((info.measured_by & kMeasuredForEachImage) != 0 &&
             info.group == MetricGroup::kCaptions));
    truth += decoded.at("verdict") == "true" ? 1.0 / 20 : 0;
    for (const Json& noun : decoded.at("nouns")) {
      if (!noun.contains("hit")) continue;
      ++nouns;
      hits += noun.at("hit") == true ? 1 : 0;
    }
  }
  CHECK(cider == Approx(corpus.at("CIDEr")).margin(1e-4));
  CHECK(truth == Approx(corpus.at("true_caption_rate")));
  CHECK(nouns == corpus.at("pointing_nouns"));
  if (nouns > 0) CHECK(hits / nouns == Approx(corpus.at("pointing_accuracy")));

  OverlayArgs overlay{
      .model = {.checkpoint = (folder / "hard").string()}, .split = "val", .count = 1};
  overlay.out = (folder / "overlay").string();
  printed([&] { return run_overlay(overlay); });
  const Json& shown = data.at("images")[0];
  const Json& decoded = shown.at("models")[0].at("regimes").at("argmax");
  const Json drawn = Json::parse(
      TempFolder::read(folder / "overlay" / (shown.at("id").get<std::string>() + ".json")));
  // A caption has one form everywhere; a page packs its maps and rounds its numbers.
  for (const char* key : {"image", "caption", "grid", "geometry", "finished", "regime"})
    CHECK(decoded.at(key) == drawn.at(key));
  REQUIRE(decoded.at("words").size() == drawn.at("words").size());
  for (std::size_t w = 0; w < drawn.at("words").size(); ++w) {
    const Json &own = decoded.at("words")[w], &word = drawn.at("words")[w];
    CHECK(own.at("text") == word.at("text"));
    CHECK(own.at("sampled") == word.at("sampled"));
    CHECK(own.at("uniform") == word.at("uniform"));
    for (const char* key : {"logprob", "entropy"})
      CHECK(own.at(key).get<double>() == Approx(word.at(key).get<double>()).margin(1e-4));
    const std::vector<double> weights = unpacked(decoded, own.at("attention"));
    REQUIRE(weights.size() == 16);
    for (std::size_t i = 0; i < 16; ++i)
      CHECK(std::abs(weights[i] - word.at("attention")[i / 4][i % 4].get<double>()) <=
            tolerance(decoded));
  }
}

TEST_CASE("a report has the maps of layers and heads that an overlay draws") {
  const TempFolder folder("report-heads");
  write_small_run(folder / "run", small_transformer());
  const fs::path page = folder / "page.html";
  make_report({.runs = {(folder / "run").string()}, .out = page.string(), .images = 1});
  const Json data = data_of(page);
  const Json& decoded = data.at("images")[0].at("models")[0].at("regimes").at("expectation");
  OverlayArgs overlay{.model = {.checkpoint = (folder / "run").string()}, .count = 1};
  overlay.out = (folder / "overlay").string();
  overlay.maps = {.layer = "all", .head = "all"};
  printed([&] { return run_overlay(overlay); });
  const Json drawn = Json::parse(TempFolder::read(folder / "overlay" / "scene-test-0.json"));
  const std::size_t words = drawn.at("words").size();
  REQUIRE(decoded.at("maps").size() == 4);
  REQUIRE(drawn.at("maps").size() == 4);
  for (std::size_t v = 0; v < 4; ++v) {
    const Json &own = decoded.at("maps")[v], &view = drawn.at("maps")[v];
    CHECK(own.at("layer") == v / 2);
    CHECK(own.at("head") == v % 2);
    for (const char* key : {"layer", "head", "rollout"}) CHECK(own.at(key) == view.at(key));
    CHECK(own.at("uniform") == view.at("uniform"));
    REQUIRE(own.at("attention").size() == words);
    REQUIRE(own.at("entropy").size() == words);
    for (std::size_t w = 0; w < words; ++w) {
      CHECK(own.at("entropy")[w].get<double>() ==
            Approx(view.at("entropy")[w].get<double>()).margin(1e-4));
      const std::vector<double> weights = unpacked(decoded, own.at("attention")[w]);
      REQUIRE(weights.size() == 16);
      for (std::size_t i = 0; i < 16; ++i)
        CHECK(std::abs(weights[i] - view.at("attention")[w][i / 4][i % 4].get<double>()) <=
              tolerance(decoded));
    }
  }
}

TEST_CASE("a report of a comparison has its arms, also after the folder was moved") {
  const TempFolder folder("report-arms");
  const fs::path moved = folder / "moved";
  write_small_run(moved / "soft" / "seed-1", small_experiment());
  write_small_run(moved / "soft" / "seed-2", small_experiment());
  write_small_run(moved / "hard" / "seed-1", small_experiment("hard"));
  const auto seed = [](const std::string& arm, int number, const char* status) {
    return Json{{"seed", number},
                {"status", status},
                {"directory", str("/once/was/here/", arm, "/seed-", number)}};
  };
  const Json arms = {{{"name", "soft"}, {"seeds", {seed("soft", 1, "ok"), seed("soft", 2, "ok")}}},
                     {{"name", "hard"}, {"seeds", {seed("hard", 1, "ok")}}},
                     {{"name", "lost"}, {"seeds", {seed("lost", 1, "failed")}}}};
  std::ofstream(moved / "compare.json") << Json{{"name", "both"}, {"arms", arms}};
  const WrittenReport written = make_report({.runs = {moved.string()}, .images = 2});
  CHECK(written.path == moved / "report.html");
  CHECK(written.summary.models == 2);
  const Json data = data_of(written.path);
  CHECK(data.at("comparison").at("name") == "both");
  CHECK(data.at("curves").size() == 3);
  CHECK(data.at("remarks").dump().find("lost, seed 1 failed") != std::string::npos);
  bool selection = false;
  for (const Json& row : data.at("config"))
    selection = selection || (row.at("key") == "attention.selection" &&
                              row.at("values") == Json({"soft", "hard"}));
  CHECK(selection);
  CHECK_FALSE(data.at("models")[0].contains("seed"));

  // All seeds are models of their own, with their curves.
  const Json every =
      data_of(make_report({.runs = {moved.string()}, .images = 2, .seeds = true}).path);
  REQUIRE(every.at("models").size() == 3);
  const std::vector<std::pair<const char*, int>> seeds{
      {"soft, seed 1", 1}, {"soft, seed 2", 2}, {"hard, seed 1", 1}};
  for (std::size_t m = 0; m < 3; ++m) {
    CHECK(every.at("models")[m].at("name") == seeds[m].first);
    CHECK(every.at("models")[m].at("seed") == seeds[m].second);
    CHECK(every.at("curves")[m].at("model") == m);
  }
  CHECK(every.at("remarks").dump().find("first of") == std::string::npos);
  CHECK(message_of<UsageError>([&] {
          make_report({.runs = {(moved / "soft" / "seed-2").string()}, .seeds = true});
        }).find("--seeds has no effect") == 0);

  const fs::path page = folder / "page.html";
  make_report({.runs = {(moved / "soft" / "seed-2").string() + "/",
                        (moved / "hard").string() + "/seed-1/checkpoints/last"},
               .out = page.string(),
               .images = 1});
  CHECK(data_of(page).at("title") == "soft, seed 2, hard, seed 1");
}

TEST_CASE("one remark says of which arms only the first seed is shown") {
  const TempFolder folder("report-seeds");
  Json arms = Json::array();
  for (const char* name : {"soft", "hard", "linear"}) {
    Json arm{{"name", name}, {"seeds", Json::array()}};
    for (const int seed : {1, 2})
      arm["seeds"].push_back({{"seed", seed},
                              {"status", "ok"},
                              {"directory", str("/was/here/", name, "/seed-", seed)}});
    arms.push_back(std::move(arm));
  }
  folder.write("compare.json", Json{{"name", "three"}, {"arms", arms}}.dump());
  const std::vector<std::string> remarks = shown_models({folder.path().string()}).remarks;
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].find("For soft, hard, linear the explorer shows the first of 2 seeds") == 0);
}

TEST_CASE("the images of a report are those on which the first model is worst") {
  const TempFolder folder("report-worst");
  write_small_run(folder / "soft", small_experiment());
  const std::string run = (folder / "soft").string();
  const auto data = [&](const std::string& worst, Index images) {
    return data_of(make_report({.runs = {run}, .images = images, .worst = worst}).path);
  };
  const Json all = data("", 1000);
  REQUIRE(all.at("images").size() == all.at("split_images"));
  REQUIRE(all.at("images").size() > 3);
  CHECK_FALSE(all.contains("worst"));
  // By a metric: no image that is left out has a lower one.
  const auto value = [](const Json& image, const std::string& measure) {
    const Json& caption = image.at("models")[0].at("regimes").at("expectation");
    if (measure == "CIDEr") return caption.at("scores").at("CIDEr").get<double>();
    double sum = 0, count = 0;
    if (measure == "entropy") {
      for (const Json& word : caption.at("words")) sum -= word.at("entropy").get<double>(), ++count;
    } else {
      for (const Json& noun : caption.at("nouns"))
        if (noun.contains("hit")) sum += noun.at("hit").get<bool>() ? 1 : 0, ++count;
    }
    return count > 0 ? sum / count : NAN;
  };
  for (const std::string measure : {"CIDEr", "entropy", "pointing"}) {
    INFO(measure);
    const auto judged =
        std::count_if(all.at("images").begin(), all.at("images").end(),
                      [&](const Json& image) { return !std::isnan(value(image, measure)); });
    if (judged == 0) {  // no caption of the small model names an object
      CHECK(message_of<UsageError>([&] { data(measure, 3); }).find("no image of the split") !=
            std::string::npos);
      continue;
    }
    const Json worst = data(measure, 3);
    CHECK(worst.at("worst") == measure);
    REQUIRE(worst.at("images").size() ==
            std::min<std::size_t>(3, static_cast<std::size_t>(judged)));
    std::vector<std::string> names;
    double largest = -1e9;
    for (const Json& image : worst.at("images")) {
      names.push_back(image.at("id"));
      largest = std::max(largest, value(image, measure));
    }
    for (const Json& image : all.at("images")) {
      if (std::find(names.begin(), names.end(), image.at("id")) != names.end()) continue;
      if (const double other = value(image, measure); !std::isnan(other))
        CHECK(other >= largest - 1e-4);
    }
  }
  CHECK(message_of<UsageError>([&] {
          data("CIDer", 3);
        }).find("there is no measure 'CIDer' (did you mean 'CIDEr'?)") != std::string::npos);
}

TEST_CASE("the progress of a report says what takes the time, and of how many images") {
  const TempFolder folder("report-progress");
  write_small_run(folder / "soft", small_experiment());
  const SmallModels loaded({folder / "soft"});
  const LoadedData data = load_data(loaded.models()[0].loaded->config.data);
  const auto said = [&](const std::string& worst) {
    std::vector<std::string> lines;  // without those that repeat
    ReportRequest request;
    request.models = loaded.models();
    request.data = &data;
    request.images = 2;
    request.worst = worst;
    request.progress = [&](double done, const std::string& what) {
      CHECK((done >= 0 && done <= 1));
      if (lines.empty() || lines.back() != what) lines.push_back(what);
    };
    report_data(request, ReportContent::kAll);
    return lines;
  };
  const std::vector<std::string> shown = said("");
  REQUIRE_FALSE(shown.empty());
  CHECK(shown.back() == "soft: captioning 2 images");
  // The whole split is captioned before, to choose the images, and that is what it says.
  const std::size_t all = images_of(data.dataset, Split::kTest).size();
  REQUIRE(all > 2);
  const std::vector<std::string> worst = said("CIDEr");
  CHECK(std::find(worst.begin(), worst.end(),
                  str("soft: captioning all ", all, " images for --worst CIDEr")) != worst.end());
  CHECK(worst.back() == "soft: captioning 2 images");
}

TEST_CASE("models of the same name get different names, and no model is shown twice") {
  const TempFolder folder("report-names");
  const auto run = [&](const std::string& name) {
    const fs::path checkpoints = folder / name / "checkpoints";
    fs::create_directories(checkpoints);
    std::ofstream(checkpoints / "last") << "a model";
    return (folder / name).string();
  };
  const std::vector<std::string> runs = {run("a/soft/seed-1"), run("b/soft/seed-1"),
                                         run("c/soft/seed-1"), run("c/soft/seed-2")};
  const std::vector<ShownModel> models = shown_models(runs).models;
  for (std::size_t m = 0; m < 3; ++m) {
    CHECK(models[m].name == "soft, seed 1 (" + runs[m] + ")");
    CHECK(models[m].seeds.at(0).first == models[m].name);
  }
  CHECK(models[3].name == "soft, seed 2");
  for (const std::string& again : {runs[0], runs[0] + "/", runs[0] + "/checkpoints/last"})
    CHECK(message_of<UsageError>([&] {
            shown_models({runs[0], runs[1], again});
          }).find(again + " are the same checkpoint") != std::string::npos);
}

TEST_CASE(
    "the message on a report that fails names the reason, and training does not fail with it") {
  const TempFolder folder("report-refused");
  write_small_run(folder / "run", small_experiment());
  const std::string run = (folder / "run").string();
  CHECK_THROWS_AS(make_report({.runs = {(folder / "none").string()}}), CheckpointError);
  CHECK(message_of<UsageError>([&] {
          make_report({.runs = {run}, .split = "tset"});
        }).find("tset") != std::string::npos);
  CHECK(message_of<UsageError>([&] {
          make_report({.runs = {run + "," + run}});
        }).find("a report needs a single model") != std::string::npos);
  folder.write("compare.json", "{\"arms\": [{}]}");
  CHECK(message_of<DataError>([&] {
          make_report({.runs = {folder.path().string()}});
        }).find("compare.json: is not a comparison") != std::string::npos);
  CHECK_THROWS_AS(make_report({.runs = {run}, .out = (folder / "no/such/page.html").string()}),
                  IoError);
  CHECK_NOTHROW(offer_report(folder / "none", 3));
  CHECK(message_of<DataError>([&] {
          make_report({.runs = {run}, .data = {"type=folder", "images=/no/such/place"}});
        }).find("data.images: /no/such/place") == 0);
}

}  // namespace
}  // namespace saccade::test::report_test
