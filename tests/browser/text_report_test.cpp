// The report of a model of texts: the matrix of words and tokens stands open, without the padding.
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"
#include "tests/experiments/small_run.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

class TextReport {
 public:
  TextReport() {
    ExperimentConfig config = small_text_experiment();
    config.data.sequences.longest = 5;  // of the six places of the grid
    config.data.sequences.test = 40;
    config.search.min_length = 3;
    config.attention.temperature = Ramp::constant(0.02);  // so that the maps are not uniform
    write_small_run(folder_ / "texts", config);
    make_report({.runs = {(folder_ / "texts").string()}, .out = page().string(), .images = 2});
  }
  std::filesystem::path page() const { return folder_ / "report.html"; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"text-report"};
};

TEST_CASE("the page of a text shows the matrix of its words and tokens") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TextReport> page;
  const std::string matrix = "document.querySelector('.card [data-part=alignment]')";
  CHECK(page.ask(matrix + ".open") == true);
  const Json tokens =
      page.ask("JSON.parse(document.querySelector('#data').textContent).images[0].tokens");
  REQUIRE(tokens.size() >= 2);
  REQUIRE(tokens.size() <= 5);
  CHECK(page.ask("[..." + matrix + ".querySelectorAll('ol li')].map((li) => li.textContent)") ==
        tokens);
  CHECK(page.ask(matrix + ".querySelector('canvas').width") == tokens.size());
  CHECK(page.ask(matrix + ".querySelector('canvas').height") ==
        page.ask("document.querySelector('.card').querySelectorAll('.word').length"));
  // Every cell has a colour, and not all have the same.
  const Json colours = page.run("const c = " + matrix +
                                ".querySelector('canvas'), out = new Set(), data = "
                                "c.getContext('2d').getImageData(0, 0, c.width, c.height).data; "
                                "for (let i = 0; i < data.length; i += 4) "
                                "out.add(data.slice(i, i + 4).join(' ')); return [...out];");
  CHECK(colours.size() > 1);
  for (const Json& colour : colours) CHECK(colour.get<std::string>().ends_with(" 255"));
}

TEST_CASE("the tokens above the matrix are whole, and single letters stand upright") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TextReport> page;
  page.change([](Json& data) { data["images"][0]["tokens"][0] = "wednesday"; });
  const std::string matrix = "document.querySelector('.card [data-part=alignment]')";
  // Where each token ends, above the canvas.
  const Json rooms =
      page.ask("[..." + matrix + ".querySelectorAll('ol li')].map((li) => " + matrix +
               ".querySelector('canvas').getBoundingClientRect().top - "
               "li.getBoundingClientRect().bottom)");
  for (const Json& room : rooms) CHECK(room.get<double>() >= 2);
  CHECK(page.ask("[..." + matrix +
                 ".querySelectorAll('ol li')].every((li) => li.scrollHeight <= "
                 "li.clientHeight && li.scrollWidth <= li.clientWidth)") == true);
  const Json modes = page.ask("[..." + matrix +
                              ".querySelectorAll('ol li')].map((li) => "
                              "getComputedStyle(li).writingMode)");
  CHECK(modes[0] == "vertical-rl");
  for (std::size_t i = 1; i < modes.size(); ++i) CHECK(modes[i] == "horizontal-tb");
}

TEST_CASE("the page of texts speaks of texts, and scores them by exact matches over the split") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TextReport> page;
  page.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  const std::string text = page.ask(
      "document.querySelector('main').innerText + "
      "document.querySelector('header').innerText");
  CHECK_THAT(text, Catch::Contains("2 of 40 texts") && Catch::Contains("All texts") &&
                       Catch::Contains("exact match ") && Catch::Contains("token accuracy "));
  CHECK_THAT(text, !Catch::Contains(" images") && !Catch::Contains("All images"));
  const std::string judged = page.ask(
      "document.querySelector('#cards').innerText + document.querySelector('#groups').innerText");
  for (const char* other : {"CIDEr", "METEOR", "BLEU"}) CHECK_THAT(judged, !Catch::Contains(other));
  CHECK(page.ask("document.querySelector('#groups h2').textContent") ==
        "Scores of easy and hard texts");
  CHECK_THAT(page.ask("document.querySelector('#groups p').textContent").get<std::string>(),
             Catch::StartsWith("All 40 texts of the split test, in groups."));
  CHECK(page.ask("document.querySelector('#groups option:checked').textContent") ==
        "tokens of the text");
  const Json columns = page.ask(
      "[...document.querySelectorAll('#groups th[scope=col]')].map((th) => th.textContent)");
  CHECK(columns[2] == "texts");
  CHECK(columns[3] == "exact match");
  CHECK(page.ask("[...document.querySelectorAll('#groups tbody tr')].reduce((sum, row) => "
                 "sum + Number(row.children[2].textContent), 0)") == 40);
}

}  // namespace
}  // namespace saccade::test
