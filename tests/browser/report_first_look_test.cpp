// What a report shows at first, before anybody searches for a control: captions and photos, the
// first noun, and what its terms mean; and the other ways to see many maps or images at once.
#include "core/io/base64.h"
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"

namespace saccade::test::report_first_look_test {
namespace {

using Json = nlohmann::json;
using Page = OpenReport<SceneReport>;

// Makes the own caption of model m on the first card one of these words, with a map that rises from
// cell to cell; the last word has the largest weight.
void set_words(Json& data, std::size_t m, const std::vector<std::string>& texts) {
  Json& caption = caption_of(data, m);
  caption["packed"] = {{"low", 0}, {"high", 1}};
  caption.erase("nouns");
  caption.erase("maps");
  caption["words"] = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::uint8_t> map(32, 4);
    map[i] = static_cast<std::uint8_t>(100 + 10 * i);
    caption["words"].push_back({{"text", texts[i]},
                                {"logprob", -0.5},
                                {"entropy", 0.8},
                                {"uniform", false},
                                {"attention", base64(map)}});
  }
}

TEST_CASE("captions and the first photo are seen without scrolling, and controls are folded") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto top = [&](const std::string& selector) {
    return page.ask("document.querySelector('" + selector + "').getBoundingClientRect().top")
        .get<double>();
  };
  page.browser.resize(1400, 900);
  REQUIRE(page.browser.becomes("window.innerWidth === 1400"));
  CHECK(top(".card .word") < 450);
  CHECK(top(".card .photo") < 550);
  CHECK(page.ask("[...document.querySelectorAll('#controls details')].some((d) => d.open)") ==
        false);
  // The photos of models side by side begin at one height.
  CHECK(page.ask("new Set([...document.querySelectorAll('.card:first-child .photo')].map((p) => "
                 "Math.round(p.getBoundingClientRect().top))).size") == 1);
  page.browser.resize(390, 844);
  REQUIRE(page.browser.becomes("window.innerWidth === 390"));
  CHECK(top(".card .word") < 844 - 40);
}

TEST_CASE("photos are as wide as the window allows") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<WideReport> page;  // 96 x 48 pixels, which are not enlarged without bounds
  const auto width = [&] {
    return page.ask("document.querySelector('.card .photo').getBoundingClientRect().width")
        .get<double>();
  };
  page.browser.resize(1400, 900);
  REQUIRE(page.browser.becomes("window.innerWidth === 1400"));
  CHECK(width() == 380);
  page.change([](Json& data) {
    data["images"][0]["width"] = 960;
    data["images"][0]["height"] = 480;
  });
  REQUIRE(page.browser.becomes("window.innerWidth === 1400"));
  CHECK(width() > 450);
}

TEST_CASE("a link of the page's navigation ends at its section, although cards grow meanwhile") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    const Json image = data["images"][0];
    for (int i = 0; i < 40; ++i) {
      data["images"].push_back(image);
      data["images"].back()["id"] = str("copy ", i);
    }
  });
  page.browser.click("#nav a[href='#scores']");
  const char* there =
      "Math.abs(document.querySelector('#scores').getBoundingClientRect().top) < 30";
  REQUIRE(page.browser.becomes(there));
  REQUIRE(page.browser.becomes("document.querySelectorAll('.card .photo').length > 6"));
  CHECK(page.browser.becomes(there));
  CHECK(page.ask("location.hash") == "#scores");
}

TEST_CASE("the first noun is shown first") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto first = [&](const std::vector<std::string>& words, const Json& nouns = {}) {
    page.change([&](Json& data) {
      set_words(data, 0, words);
      if (!nouns.is_null()) caption_of(data, 0)["nouns"] = nouns;
    });
    return page.ask(
        "document.querySelector(\".card .panel[data-model='0'] .word.on .text\")"
        ".textContent");
  };
  CHECK(first({"near", "a", "red", "heart", "is", "a", "ring"}) == "heart");
  CHECK(first({"two", "dogs", "and", "a", "man", "running"}) == "dogs");
  CHECK(first({"a", "baby", "bird", "is", "singing"}) == "bird");
  // Nouns with boxes are known better; without any noun, it is the word with the sharpest map.
  const Json boxes = Json::array({{{"word", 3}, {"boxes", Json::array()}}});
  CHECK(first({"a", "dog", "on", "gravel"}, boxes) == "gravel");
  CHECK(first({"a", "running", "slowly", "of"}) == "slowly");
  // Prepositions, numbers and quantities are no nouns, however sharp their maps are.
  CHECK(first({"several", "near", "pebbles", "between"}) == "pebbles");
  CHECK(first({"three", "of", "many", "glaciers"}) == "glaciers");
}

TEST_CASE("terms explain themselves") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    for (Json& word : caption_of(data, 0)["words"]) word["gate"] = 0.25;
    data["models"][0]["gate"] = true;
    caption_of(data, 1)["words"] = caption_of(data, 0)["words"];
    caption_of(data, 0)["verdict"] = "false";
  });
  const auto explains = [&](const std::string& term) {
    return page.ask(
                   "[...document.querySelectorAll('.tip')].filter((e) => "
                   "e.textContent.startsWith('" +
                   term + "') && e.title.length > 40).length")
               .get<int>() > 0;
  };
  for (const char* term : {"probability", "gate", "entropy", "words differ by",
                           "maps of the same words by", "false of the scene", "uniform:"}) {
    INFO(term);
    CHECK(explains(term));
  }
  CHECK(page.ask("document.querySelector(\"" + Page::word(0, 0) + "\").title")
            .get<std::string>()
            .find("gate 0.25, entropy 0.") != std::string::npos);
}

TEST_CASE(
    "weights are drawn over a uniform map or times the gate, and a bar says what full heat is") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    set_words(data, 0, {"a", "heart", "ring"});
    data["models"][0]["gate"] = true;
    Json& words = caption_of(data, 0)["words"];
    words[0]["gate"] = 1, words[1]["gate"] = 0.5, words[2]["gate"] = 0.00005;
  });
  page.browser.press("b");
  page.browser.press("c");
  page.browser.hover(Page::word(0, 2));
  const auto bar = [&] {
    return page.ask("document.querySelector(\".card .panel[data-model='0'] .scale\").textContent");
  };
  const auto line = [&] {
    return page
        .ask(
            "parseFloat(document.querySelector(\".card .panel[data-model='0'] .even\")"
            ".style.left)")
        .get<double>();
  };
  // The largest weight of the caption is 120 / 255, and 32 cells would have 1 / 32 each.
  CHECK(bar() == "0  0.471uniform: 0.031");
  CHECK(std::abs(line() - 100.0 * 255 / 120 / 32) < 0.02);
  const auto hottest = [&] {
    double green = 0;
    for (const Json& pixel : page.pixels(0, 4, 8)) green = std::max(green, pixel[1].get<double>());
    return green;
  };
  const double weights = hottest();
  page.browser.press("m");
  CHECK(bar() == "0  15.06uniform: 1.000");
  CHECK(page.ask("document.querySelector('.card .map-name').textContent") ==
        ", over a uniform map");
  CHECK(hottest() == weights);
  // Times the gate, the last word has nearly no weight, and the first has the largest.
  page.browser.press("m");
  CHECK(page.ask("document.querySelector('.card .map-name').textContent") == ", times the gate");
  CHECK(hottest() < weights - 40);
  CHECK(bar().get<std::string>().find("0  0.392") == 0);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("all words of a caption have a small map each, which chooses the word") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto strip = [&](const std::string& what) {
    return page.ask("document.querySelector(\".card .panel[data-model='0'] .strip\")" + what);
  };
  CHECK(strip(".checkVisibility()") == false);
  page.browser.press("w");
  CHECK(strip(".checkVisibility()") == true);
  CHECK(strip(".querySelectorAll('canvas').length") ==
        page.ask("document.querySelector('.card .panel').querySelectorAll('.word').length"));
  CHECK(strip(".querySelector('canvas').width").get<int>() == 132);
  page.browser.click(".card .panel[data-model='0'] .small-map:nth-child(2)");
  CHECK(page.ask("document.querySelector(\"" + Page::canvas(0) + "\").dataset.word") == "1");
  CHECK(strip(".children[1].matches('.on')") == true);
  // A small map has the colours of the large one.
  page.browser.press("b");
  page.browser.press("c");
  const Json large = page.pixels(0, 4, 8);
  const Json small = page.run(
      "const c = document.querySelector(\".card .panel[data-model='0'] .small-map:nth-child(2) "
      "canvas\"), x = c.getContext('2d'), out = []; for (let i = 0; i < 32; ++i) "
      "out.push([...x.getImageData((i % 8 + .5) / 8 * c.width, (Math.floor(i / 8) + .5) / 4 * "
      "c.height, 1, 1).data.slice(0, 3)]); return out;");
  double distance = 0;
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      distance += std::abs(large[i][c].get<double>() - small[i][c].get<double>()) / 96;
  CHECK(distance < 12);
}

// The soft and the hard model on the images on which the soft one has the lowest CIDEr.
class WorstReport : public SceneReport {
 public:
  WorstReport() {
    make_report({.runs = {run("soft").string(), run("hard").string()},
                 .out = page().string(),
                 .images = 3,
                 .worst = "CIDEr"});
  }
  std::filesystem::path page() const { return folder() / "worst.html"; }
};

TEST_CASE("a report of the worst images says so, and begins with the worst") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<WorstReport> page;
  CHECK(page.ask("document.querySelector('#subtitle').textContent")
            .get<std::string>()
            .find("those on which soft is worst by CIDEr") != std::string::npos);
  const Json scores = page.ask(
      "(() => { const data = JSON.parse(document.querySelector('#data').textContent);"
      "return [...document.querySelectorAll('.card')].map((card) => Object.values(data.images.find("
      "(i) => i.id === card.dataset.image).models[0].regimes)[0].scores.CIDEr); })()");
  CHECK(scores.size() == 3);  // of 4
  CHECK(std::is_sorted(scores.begin(), scores.end()));
  CHECK(page.ask("[...document.querySelectorAll('.field')].find((f) => f.firstChild.textContent "
                 "=== 'Order').lastChild.value") == "worst");
}

TEST_CASE("small pictures of all images lead to them, in the order that is chosen") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  CHECK(page.ask("document.querySelectorAll('.thumb').length") == 0);
  page.browser.click("[data-part=overview] summary");
  REQUIRE(page.browser.becomes("document.querySelectorAll('.thumb').length === 4"));
  page.browser.click(".thumb:nth-child(3)");
  CHECK(
      page.browser.becomes("document.querySelector('.card.current')?.dataset.image === "
                           "'scene-test-2' && Math.abs(document.querySelector('.card.current')"
                           ".getBoundingClientRect().top) < 60"));
  page.choose("Words of captions (run* finds running)", "test 1");
  CHECK(page.browser.becomes("document.querySelectorAll('.thumb').length === 1"));
}

}  // namespace
}  // namespace saccade::test::report_first_look_test
