// The data of a report: captions equal those of the other commands, and maps survive being packed
// into bytes.
#include "experiments/commands/report.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/io/base64.h"
#include "experiments/commands/overlay.h"
#include "experiments/commands/shown_models.h"
#include "experiments/report/packed_maps.h"
#include "experiments/report/report_page.h"
#include "tests/experiments/small_run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
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

std::vector<int> bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6 | static_cast<unsigned>(digits.find(c))) & 0xffffff;
    if ((count += 6) < 8) continue;
    count -= 8;
    out.push_back(static_cast<int>(bits >> count & 255));
  }
  return out;
}

TEST_CASE("the error of packed maps is at most half a step") {
  const MapStack maps{.layers = 1,
                      .heads = 2,
                      .words = {{{0.1F, 0.9F}, {0, 0.3F}}, {{-0.2F, 0.5F}, {0.25F, 0.75F}}}};
  const PackedMaps packed = pack_maps(maps);
  const std::vector<int> bytes = bytes_of(packed.bytes);
  REQUIRE(bytes.size() == 8);
  std::size_t at = 0;
  for (const auto& word : maps.words)
    for (const auto& map : word)
      for (const float weight : map) {
        const float step = (packed.high - packed.low) / 255;
        CHECK(std::abs(packed.low + step * static_cast<float>(bytes[at++]) - weight) <=
              step / 2 + 1e-6F);
      }
  const PackedMaps flat = pack_maps({.words = {{{0, 0}}}});
  CHECK(flat.high == 0);
  CHECK(bytes_of(flat.bytes) == std::vector<int>{0, 0});
  CHECK_THROWS_AS(pack_maps({.words = {{{0, 1}}, {{0, 1, 2}}}}), ShapeError);
  CHECK_THROWS_AS(pack_maps({.words = {{{0, NAN}}}}), ShapeError);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_CASE("data cannot end the HTML element that contains them") {
  const std::string empty = report_page("{}");
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

// Runs a command with its stdout suppressed.
template <class F>
void quietly(const F& command) {
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  command();
  std::cout.rdbuf(before);
}

TEST_CASE("a report shows the captions, maps and scores of the other commands") {
  const TempFolder folder("report");
  const ExperimentConfig config = small_experiment(SelectionKind::kHard);
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
  quietly([&] { run_overlay(overlay); });
  const Json& shown = data.at("images")[0];
  const Json& decoded = shown.at("models")[0].at("regimes").at("argmax");
  const Json drawn = Json::parse(
      TempFolder::read(folder / "overlay" / (shown.at("id").get<std::string>() + ".json")));
  const std::vector<int> bytes = bytes_of(decoded.at("maps"));
  const double step = decoded.at("high").get<double>() / 255;
  REQUIRE(decoded.at("words").size() == drawn.at("words").size());
  for (std::size_t w = 0; w < drawn.at("words").size(); ++w) {
    const Json& word = drawn.at("words")[w];
    CHECK(decoded.at("words")[w] == word.at("text"));
    CHECK(decoded.at("p")[w].get<double>() ==
          Approx(std::exp(word.at("logprob").get<double>())).margin(1e-4));
    CHECK(decoded.at("chosen")[w][0].get<int>() ==
          word.at("sampled")[0].get<int>() * 4 + word.at("sampled")[1].get<int>());
    for (std::size_t i = 0; i < 16; ++i)
      CHECK(std::abs(step * bytes.at(16 * w + i) -
                     word.at("attention")[i / 4][i % 4].get<double>()) <= step / 2 + 1e-6);
  }
}

TEST_CASE("a report has every layer and head, and an overlay draws their mean") {
  const TempFolder folder("report-heads");
  write_small_run(folder / "run", small_transformer());
  const fs::path page = folder / "page.html";
  make_report({.runs = {(folder / "run").string()}, .out = page.string(), .images = 1});
  const Json data = data_of(page);
  const Json& decoded = data.at("images")[0].at("models")[0].at("regimes").at("expectation");
  CHECK(decoded.at("layers") == 2);
  CHECK(decoded.at("heads") == 2);
  const std::vector<int> bytes = bytes_of(decoded.at("maps"));
  const std::size_t words = decoded.at("words").size();
  REQUIRE(bytes.size() == words * 2 * 2 * 16);
  OverlayArgs overlay{.model = {.checkpoint = (folder / "run").string()}, .count = 1};
  overlay.out = (folder / "overlay").string();
  quietly([&] { run_overlay(overlay); });
  const Json drawn = Json::parse(TempFolder::read(folder / "overlay" / "scene-test-0.json"));
  const double step = decoded.at("high").get<double>() / 255;
  for (std::size_t w = 0; w < words; ++w)
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t last = (w * 2 + 1) * 2 * 16 + i;
      const double mean = step * (bytes[last] + bytes[last + 16]) / 2;
      CHECK(std::abs(mean - drawn.at("words")[w].at("attention")[i / 4][i % 4].get<double>()) <=
            step / 2 + 1e-5);
    }
}

TEST_CASE("a report of a comparison has its arms, also after the folder was moved") {
  const TempFolder folder("report-arms");
  const fs::path moved = folder / "moved";
  write_small_run(moved / "soft" / "seed-1", small_experiment(SelectionKind::kSoft));
  write_small_run(moved / "soft" / "seed-2", small_experiment(SelectionKind::kSoft));
  write_small_run(moved / "hard" / "seed-1", small_experiment(SelectionKind::kHard));
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

  const fs::path page = folder / "page.html";
  make_report({.runs = {(moved / "soft" / "seed-2").string() + "/",
                        (moved / "hard").string() + "/seed-1/checkpoints/last"},
               .out = page.string(),
               .images = 1});
  CHECK(data_of(page).at("title") == "soft, seed 2, hard, seed 1");
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
  write_small_run(folder / "run", small_experiment(SelectionKind::kSoft));
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
        }).find("/no/such/place") == 0);
}

}  // namespace
}  // namespace saccade::test
