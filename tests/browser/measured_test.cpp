// What a report measures inside its models (report --heads, --gradients, --words), as sections of
// the page.
#include "core/io/base64.h"
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"
#include "tests/browser/page_checks.h"
#include "tests/experiments/small_run.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

class MeasuredReport {
 public:
  MeasuredReport() {
    ExperimentConfig config = small_transformer();
    config.search.min_length = 3;
    write_small_run(folder_ / "transformer", config);
    ExperimentConfig plain = small_experiment();
    plain.search.min_length = 3;
    write_small_run(folder_ / "plain", plain);
    ReportArgs args{.runs = {(folder_ / "transformer").string(), (folder_ / "plain").string()},
                    .out = page().string(),
                    .images = 2};
    args.heads = args.gradients = true;
    args.words = "a";
    make_report(args);
  }
  std::filesystem::path page() const { return folder_ / "report.html"; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"measured-report"};
};

struct Page : OpenReport<MeasuredReport> {
  Json measured(int model) {
    return ask("JSON.parse(document.querySelector('#data').textContent).models[" +
               std::to_string(model) + "].measured");
  }
  // The texts of the cells of a section's table.
  Json table(const std::string& section, int number) {
    return ask("[...document.querySelectorAll('#" + section + " table')[" + std::to_string(number) +
               "].rows].map((row) => [...row.cells].map((cell) => cell.textContent))");
  }
  // Whether all pictures of a section can be decoded.
  bool pictures_load(const std::string& section, std::size_t count) {
    const std::string all = "[...document.querySelectorAll('#" + section + " img')]";
    run(all + ".forEach((img) => { img.loading = 'eager'; }); return null");
    return browser.becomes(all + ".length === " + std::to_string(count) + " && " + all +
                           ".every((img) => img.complete && img.naturalWidth > 100)");
  }
};

TEST_CASE("the sections of heads, gradients and words show what was measured") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  CHECK(page.ask("[...document.querySelectorAll('#nav a')].map((a) => a.textContent)")
            .dump()
            .find(R"("Heads","Gradients","Words near a word")") != std::string::npos);
  // Two layers of three heads among words and two heads of words to regions.
  const Json heads = page.measured(0)["heads"]["table"]["rows"];
  REQUIRE(heads.size() == 10);
  const Json rows = page.table("heads", 0);
  REQUIRE(rows.size() == 11);
  CHECK(rows[0] == Json({"head", "maps", "over", "previous", "next", "first", "diagonal", "content",
                         "entropy", "kind", "role", "closest", "correlation"}));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    CHECK(rows[i + 1][0] == heads[i]["name"]);
    CHECK(rows[i + 1][1] == std::to_string(heads[i]["maps"].get<int>()));
    CHECK(rows[i + 1][9] == heads[i]["kind"]);
    CHECK(rows[i + 1][10] == heads[i]["role"]);
    CHECK(std::stod(rows[i + 1][8].get<std::string>()) ==
          Approx(heads[i]["entropy"].get<double>()).margin(1e-3));
  }
  CHECK(page.table("heads", 1).size() == 2);  // the single head of the other model
  CHECK(page.pictures_load("heads", 2));      // correlations among words, and of words to regions
  CHECK(page.ask("[...document.querySelectorAll('#heads figcaption')].map((f) => f.textContent)") ==
        Json({"correlation of heads, words", "correlation of heads, decoder"}));

  const Json flow = page.table("gradients", 0);
  REQUIRE(flow.size() == 1 + 2 + 2 * 6);  // all, and each layer with its two heads
  CHECK(flow[1][0] == "all");
  CHECK(flow[13][0] == "layer 1, head 1");
  CHECK(flow[13][1] == "as a value");
  CHECK(page.pictures_load("gradients", 8));
  // The regions lie as on the picture: the drawing has the places of a 4 x 4 grid.
  const Json picture = page.measured(0)["gradients"]["pictures"][1];
  CHECK(picture["name"] == "gradients.direct.regions");
  CHECK(page.ask("atob('" + picture["picture"].get<std::string>().substr(26) +
                 "').includes('layer 1, head 1, row 3, column 3: ')") == true);

  const Json words = page.table("words", 0);
  CHECK(words[0] ==
        Json({"stage", "between the captions", "near it in caption 1", "near it in caption 2"}));
  REQUIRE(words.size() == 1 + 6);
  CHECK(words[1][0] == "embedding");
  CHECK(words[6][0] == "end");
  const Json nearest = page.measured(0)["words"][0]["stages"][5]["neighbours"][1][0]["word"];
  CHECK_THAT(words[6][3].get<std::string>(), Catch::StartsWith(nearest.get<std::string>()));
  CHECK(page.table("words", 1).size() == 2);  // a decoder whose words do not attend to each other
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("what was measured fits a phone, has contrast and names, and is not there unasked") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  for (const char* scheme : {"light", "dark"}) {
    page.browser.prefer(scheme);
    CHECK(page.run(kLowContrasts) == Json::array());
  }
  CHECK(page.ask(kNameless) == Json::array());
  page.browser.resize(360, 740);
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  page.change([](Json& data) {
    data["models"][0].erase("measured");
    data["models"][1]["measured"] = {{"images", 2},
                                     {"gradients", {{"left_out", "no <b>keys</b>"}}}};
  });
  CHECK(page.ask("document.querySelector('#gradients .remark').textContent") ==
        "Left out: no <b>keys</b>.");
  CHECK(page.ask("document.querySelector('#heads, #words')") == nullptr);
}

}  // namespace
}  // namespace saccade::test
