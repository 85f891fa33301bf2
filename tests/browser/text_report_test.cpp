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

}  // namespace
}  // namespace saccade::test
