// What regions do for words (report --occlusion), as the explorer shows it.
#include <cmath>
#include <numeric>

#include "core/io/base64.h"
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

// The report of the soft and the hard model of scenes, with the effects of regions.
class EffectsReport : public SceneReport {
 public:
  EffectsReport() {
    make_report({.runs = {run("soft").string(), run("hard").string()},
                 .out = page().string(),
                 .images = 2,
                 .occlusion = true});
  }
  std::filesystem::path page() const { return folder() / "effects.html"; }
};
using Page = OpenReport<EffectsReport>;

std::string line_of(Page& page, int m) {
  return page.ask("document.querySelector(\".card .panel[data-model='" + std::to_string(m) +
                  "'] .effect\").textContent");
}

TEST_CASE("a report of occlusion says what p of a word is without the marked region") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  Json data = page.ask("JSON.parse(document.querySelector('#data').textContent)");
  for (std::size_t m = 0; m < 2; ++m)
    for (const Json& word : caption_of(data, m)["words"]) {
      REQUIRE(word["occlusion"].size() == 4);
      REQUIRE(word["occlusion"][0].size() == 8);
    }
  // Known weights, which rise from cell to cell, and known effects: all are 0.1 but one, without
  // which p is a fifth, and one of -1.
  page.change([](Json& report) {
    std::vector<std::uint8_t> rising(32);
    std::iota(rising.begin(), rising.end(), std::uint8_t{1});
    caption_of(report, 0)["packed"] = {{"low", 0}, {"high", 1}};
    for (Json& word : caption_of(report, 0)["words"]) {
      word["attention"] = base64(rising);
      word["entropy"] = 0.9;
      word["uniform"] = false;
      word["logprob"] = std::log(0.5);
      for (Json& row : word["occlusion"])
        for (Json& effect : row) effect = 0.1;
      word["occlusion"][2][3] = std::log(5.0);
      word["occlusion"][0][7] = -1;
    }
  });
  page.browser.press("b");  // no boxes
  page.browser.press("c");  // cells
  page.browser.hover(Page::word(0, 1));
  const Json weights = page.pixels(0, 4, 8);
  // In the last cell, which has the largest weight, the effect is 0.1.
  CHECK(line_of(page, 0).find(": p 0.50 \u2192 0.45") != std::string::npos);
  // Another cell matters most to the word.
  CHECK(line_of(page, 0).find("on which it depends most: p 0.50 \u2192 0.10") != std::string::npos);
  CHECK(line_of(page, 0).find("rank correlation of weights and effects 0.16") != std::string::npos);
  page.browser.press("e");
  CHECK(page.ask("document.querySelector('.card .map-name').textContent") ==
        ", effects of regions");
  const Json effects = page.pixels(0, 4, 8);
  CHECK(effects != weights);
  CHECK(line_of(page, 0).find(": p 0.50 \u2192 0.10") != std::string::npos);
  // The word is likelier without the last cell of the first row, which is blue.
  const auto warm = [&](std::size_t cell) {
    return effects[cell][0].get<double>() - effects[cell][2].get<double>();
  };
  CHECK(warm(2 * 8 + 3) > 10);
  CHECK(warm(7) < -20);
  // At a cell, the line is about the word that needs it most.
  page.browser.hover(Page::canvas(0), 7.5 / 8, 0.5 / 4);
  CHECK(line_of(page, 0).find(": p 0.50 \u2192 1.36") != std::string::npos);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("effects fit a phone, and a report without them has no choice of what is drawn") {
  SACCADE_NEEDS_BROWSER();
  const auto choices = [](auto& page) {
    return page.ask(
        "[...document.querySelectorAll('.field')].filter((f) => f.firstChild.textContent === "
        "'Drawn').length");
  };
  Page page;
  CHECK(choices(page) == 1);
  page.browser.press("e");
  page.browser.resize(360, 740);
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  OpenReport<SceneReport> plain;
  CHECK(choices(plain) == 0);
  CHECK(plain.ask("[...document.querySelectorAll('.effect')].every((line) => line.hidden)") ==
        true);
}

}  // namespace
}  // namespace saccade::test
