// What a report promises beside its pictures: it is one file, safe and accessible, and it fits a
// phone.
#include <regex>

#include "tests/browser/open_report.h"
#include "tests/browser/page_checks.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

TEST_CASE("a report requests nothing outside its file and has no errors or warnings") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  const std::string text = TempFolder::read(page.report.page());
  const std::regex address("https?://[^'\" ]*");
  for (std::sregex_iterator it(text.begin(), text.end(), address), end; it != end; ++it)
    CHECK(it->str() == "http://www.w3.org/2000/svg");
  for (int i = 0; i < 4; ++i) page.browser.press("j");  // cards are built when they come near
  page.browser.run(
      "document.querySelectorAll('details').forEach((d) => { d.open = true; });"
      "window.scrollTo(0, document.body.scrollHeight)");
  REQUIRE(page.browser.becomes("document.querySelectorAll('.card .photo').length === 12"));
  CHECK(page.ask("performance.getEntriesByType('resource').map((entry) => entry.name)"
                 ".filter((name) => !name.startsWith('data:'))") == Json::array());
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("sections show the numbers of the runs, and they can be copied and saved as CSV") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  // Four images make no groups.
  CHECK_THAT(page.ask("document.querySelector('#groups').textContent").get<std::string>(),
             Catch::Contains("Two groups of at least 10 images each are needed, and this page "
                             "scores 4 images."));
  CHECK(page.ask("document.querySelectorAll('#groups table').length") == 0);
  page.change([](Json& data) {
    data["config"].push_back({{"key", "gate.bias"}, {"values", {"null", "2", "null"}}});
    const Json group{
        {"name", "x"},  {"low", 1},
        {"high", 1},    {"mean", 1},
        {"images", 12}, {"scores", {{"CIDEr", {{"score", 1}, {"low", 0.5}, {"high", 2}}}}}};
    for (Json& model : data["groups"]) model[0]["groups"] = {group, group};
  });
  CHECK(page.ask("[...document.querySelectorAll('#sections > section')].map((s) => s.id)") ==
        Json::array({"curves", "scores", "groups", "health", "config", "again"}));
  CHECK(page.browser.becomes("document.querySelectorAll('#curves path').length === 3"));
  // A loss holds the penalties of its model, so it compares no two models.
  CHECK(page.ask("document.querySelector('#curves option:checked').textContent") ==
        "nll per word (training)");
  CHECK(page.ask("document.querySelector('#curves option:last-child').textContent") ==
        "loss (training, with each model\u2019s own penalties)");
  CHECK(page.ask("document.querySelector('#scores tbody tr').textContent")
            .get<std::string>()
            .find("0.250") != std::string::npos);
  // Numbers of images are whole.
  CHECK(page.ask("[...document.querySelectorAll('#groups tbody tr')].length > 0 && "
                 "[...document.querySelectorAll('#groups tbody tr')].every((row) => "
                 "/^[0-9]+$/.test(row.children[2].textContent))") == true);
  const std::string csv =
      page.ask("decodeURIComponent(document.querySelector('#config a[download]').href)");
  CHECK(csv.find("attention.selection,soft,hard,soft") != std::string::npos);
  CHECK(csv.find("gate.bias,not set,2,not set") != std::string::npos);
  CHECK(page.ask("document.querySelector('#again pre').textContent").get<std::string>().size() > 0);
}

TEST_CASE("groups are charted from 0 on, with their intervals, by what their values are") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  page.change([](Json& data) {
    const auto group = [](double at, double score, double low, double high) {
      return Json{
          {"name", "x"}, {"low", at},
          {"high", at},  {"mean", at},
          {"images", 5}, {"scores", {{"CIDEr", {{"score", score}, {"low", low}, {"high", high}}}}}};
    };
    for (Json& model : data["groups"])
      model = Json::array({{{"by", "length"},
                            {"text", "a text of the program"},
                            {"groups", {group(2, 4, 3, 5), group(4, 4.5, 4, 4.75)}}}});
  });
  REQUIRE(page.browser.becomes("document.querySelectorAll('#groups .interval').length === 6"));
  CHECK(page.ask("document.querySelector('#groups option:checked').textContent") ==
        "a text of the program");
  // Two intervals from 3 to 5 and from 4 to 4.75, above an axis that begins at 0.
  CHECK(page.ask("document.querySelector('#groups .grid text').textContent") == "0");
  const Json lengths = page.ask(
      "[...document.querySelectorAll('#groups .interval')].slice(0, 2).map((line) => "
      "line.getAttribute('y1') - line.getAttribute('y2'))");
  CHECK(lengths[0].get<double>() / lengths[1].get<double>() == Approx(2 / 0.75));
}

// A compare.json of two arms: one metric over seeds and images, one over the images of one seed.
Json comparison() {
  const Json seeds{{"mean", 0.5}, {"std", 0.01}, {"n", 3},
                   {"low", 0.4},  {"high", 0.6}, {"chance", "seeds_and_images"}};
  Json images{{"mean", 0.25}, {"std", nullptr}, {"n", 1},
              {"low", 0.2},   {"high", 0.3},    {"chance", "images"}};
  const Json reference{{"name", "soft"},
                       {"regimes", {{{"name", "expectation"}, {"corpus", {{"CIDEr", seeds}}}}}}};
  images["difference"] = {{"value", -0.25},     {"low", -0.375}, {"high", -0.125},
                          {"chance", "images"}, {"p", 0.01},     {"p_holm", 0.042}};
  const Json arm{{"name", "hard"},
                 {"regimes",
                  {{{"name", "argmax"}, {"corpus", {{"CIDEr", images}}}},
                   {{"name", "sample"}, {"corpus", {{"CIDEr", images}}}}}}};
  return {{"name", "two arms"}, {"dataset", "scenes"},      {"split", "test"},
          {"n_images", 40},     {"seeds", {1, 2, 3}},       {"level", 0.95},
          {"against", "soft"},  {"verdict", Json::array()}, {"arms", {reference, arm}}};
}

TEST_CASE("scores come with intervals and p-values, on the page, copied and as CSV") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  page.change([](Json& data) { data["comparison"] = comparison(); });
  const std::string cell = "document.querySelector('#scores tbody tr:nth-child(3) td.number')";
  CHECK(page.ask(cell + ".firstChild.textContent") == "0.250 [0.200, 0.300]\u2020");
  CHECK(page.ask(cell + ".lastChild.textContent") == "\u22120.250, p = 0.042\u2020");
  const auto note = [&] {
    return page.ask("document.querySelector('#scores p').textContent").get<std::string>();
  };
  CHECK(
      note().find("95\u00a0% intervals over 3 seeds and the images; \u2020 over the images of one "
                  "seed, ") != std::string::npos);
  CHECK(note().find("its difference from soft (expectation)") != std::string::npos);
  const std::string csv =
      page.ask("decodeURIComponent(document.querySelector('#scores a[download]').href)");
  CHECK(csv.find("arm,regime,CIDEr,CIDEr low,CIDEr high,CIDEr difference,CIDEr difference low,"
                 "CIDEr difference high,CIDEr p,") != std::string::npos);
  CHECK(csv.find("soft,expectation,0.5,0.4,0.6,,,,,") != std::string::npos);
  CHECK(csv.find("hard,sample,0.25,0.2,0.3,-0.25,-0.375,-0.125,0.042,") != std::string::npos);
  page.run(
      "Object.defineProperty(navigator, 'clipboard', "
      "{value: {writeText: async (text) => { window.copied = text; }}}); return null");
  page.browser.click("#scores .tools button");
  CHECK(page.ask("window.copied")
            .get<std::string>()
            .find("hard\targmax\t0.250 [0.200, 0.300]\u2020 \u22120.250, p = 0.042\u2020\t") !=
        std::string::npos);
  // Where every number is of one seed, the note names no several seeds.
  page.change([](Json& data) {
    data["comparison"] = comparison();
    data["comparison"]["arms"].erase(0);
  });
  CHECK(note().find("intervals over the images of one seed, ") != std::string::npos);
  CHECK(note().find("\u2020") == std::string::npos);
}

TEST_CASE("a comparison shows its headline metrics first, and all of them on request") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  page.change([](Json& data) {
    data["comparison"] = comparison();
    Json& corpus = data["comparison"]["arms"][0]["regimes"][0]["corpus"];
    for (const char* name : {"unheard_of", "CIDEr_plain", "Bleu_4", "Bleu_1"})
      corpus[name] = corpus["CIDEr"];
  });
  const auto columns = [&] {
    return page.ask(
        "[...document.querySelectorAll('#scores th[scope=col]')].map((th) => th.textContent)");
  };
  CHECK(columns() == Json({"arm", "regime", "BLEU-4", "CIDEr", "ms per update", "parameters"}));
  page.browser.click("#scores .check input");
  CHECK(columns() == Json({"arm", "regime", "BLEU-1", "BLEU-4", "CIDEr", "CIDEr without D",
                           "unheard of", "ms per update", "parameters"}));
}

TEST_CASE("text that looks like markup stays text") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<HostileReport> page;
  CHECK(page.ask("window.hacked === undefined") == true);
  CHECK(page.ask("document.querySelector('.references li').textContent") == kHostileCaption);
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "<b>5&amp;.png");
  CHECK(page.ask("document.querySelector('.model-name').textContent") ==
        "<img src=x onerror=window.hacked=3>");
  CHECK(page.ask("document.querySelectorAll('script').length") == 2);
  CHECK(page.ask("document.querySelectorAll('img').length") == 0);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("the page fits the width of a phone") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  page.browser.resize(360, 740);
  page.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  CHECK(page.ask("[...document.querySelectorAll('button, select, input')].filter((e) => "
                 "e.offsetParent && !e.closest('.scroll')).filter((e) => { const b = "
                 "e.getBoundingClientRect(); return b.left < 0 || b.right > 360; }).length") == 0);
  page.run(
      "document.querySelector('.command pre').textContent = 'saccade report '.repeat(20);"
      "return null");
  CHECK(page.ask("document.querySelector('.command button').offsetHeight") <= 32);  // one line
}

TEST_CASE("text has enough contrast in light and dark, and all controls have names") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  std::vector<Json> grounds;
  for (const char* scheme : {"light", "dark"}) {
    page.browser.prefer(scheme);
    INFO(scheme);
    CHECK(page.run(kLowContrasts) == Json::array());
    grounds.push_back(page.ask("getComputedStyle(document.body).backgroundColor"));
  }
  CHECK(grounds[0] != grounds[1]);
  page.browser.click("#theme-button");  // light, whatever the system's setting
  CHECK(page.ask("getComputedStyle(document.body).backgroundColor") == grounds[0]);
  CHECK(page.ask(kNameless) == Json::array());
}

}  // namespace
}  // namespace saccade::test
