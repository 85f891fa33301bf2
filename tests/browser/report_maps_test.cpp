// What regions do for words (report --occlusion), as the explorer shows it.
#include <array>

#include "core/io/base64.h"
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"
#include "tests/support/base64_bytes.h"
#include "vision/images/image.h"

namespace saccade::test::report_maps_test {
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

// The entropy of the maps that a report's page shows, and which of them it calls uniform.

using ScenePage = OpenReport<SceneReport>;

TEST_CASE("numbers are those of the map that is shown, and a uniform map is faint") {
  SACCADE_NEEDS_BROWSER();
  ScenePage page;
  page.change([](Json& data) {
    // Layer 0 is uniform. The heads of layer 1 attend to one cell.
    Json& json = caption_of(data, 2);
    std::vector<std::uint8_t> sharp(32, 0);
    sharp[5] = 255;
    const std::string flat = base64(std::vector<std::uint8_t>(32, 8)), peak = base64(sharp);
    json["packed"] = {{"low", 0}, {"high", 1}};
    for (Json& view : json["maps"])
      for (std::size_t i = 0; i < view["attention"].size(); ++i) {
        view["attention"][i] = view["layer"] == 0 ? flat : peak;
        view["entropy"][i] = view["layer"] == 0 ? 1 : 0;
        view["uniform"][i] = view["layer"] == 0;
      }
    for (Json& word : json["words"]) {
      word["attention"] = peak;
      word["entropy"] = 0;
      word["uniform"] = false;
    }
    json["nouns"] = {{{"word", 1},
                      {"boxes", Json::array({Json{0, 0, 0.5, 0.5}})},
                      {"hit", true},
                      {"centre", true}}};
  });
  page.browser.press("b");  // no boxes
  page.browser.hover(ScenePage::word(2, 1));
  const auto readout = [&] {
    return page.ask("document.querySelector(\".card .panel[data-model='2'] .readout\").textContent")
        .get<std::string>();
  };
  const auto width = [&] {
    return page.ask("document.querySelector(\"" + ScenePage::word(2, 1) +
                    " .entropy span\").style.width");
  };
  CHECK(readout().find("entropy 0.00 \u00b7 \u2713 on its object") != std::string::npos);
  CHECK(width() == "0%");
  page.browser.press("l");  // layer 0
  CHECK(readout().find("entropy 1.00 \u00b7 uniform") != std::string::npos);
  CHECK(readout().find("object") == std::string::npos);
  CHECK(width() == "100%");
  // The uniform map is faint even where full heat is the word's largest weight, which would be a
  // green of at least 0.7 * 255.
  page.browser.press("s");  // the caption's largest, the largest of all models
  page.browser.press("s");  // a fixed weight
  page.browser.press("s");  // the word's largest
  double green = 0;
  for (const Json& pixel : page.pixels(2, 4, 8)) green = std::max(green, pixel[1].get<double>());
  CHECK(green < 170);
}

TEST_CASE("whether a map is uniform is what the program wrote, as far as it did") {
  SACCADE_NEEDS_BROWSER();
  ScenePage page;
  // In bytes, the largest weight is three times the smallest; the entropy is above .99.
  std::vector<std::uint8_t> nearly(32, 20);
  nearly[0] = 10, nearly[31] = 30;
  const auto with = [&](const Json& says, int shown_word) {
    page.change([&](Json& data) {
      Json& json = caption_of(data, 2);
      json["packed"] = {{"low", 0}, {"high", 1}};
      for (Json& view : json["maps"]) {
        for (Json& map : view["attention"]) map = base64(nearly);
        view.erase("entropy");
        view.erase("uniform");
        if (!says.is_null()) view["uniform"] = Json(view["attention"].size(), says);
        if (!says.is_null()) view["entropy"] = Json(view["attention"].size(), 0.5);
      }
      for (Json& word : json["words"]) {
        word["attention"] = base64(nearly);
        word["entropy"] = 0.995;
        word.erase("uniform");
        if (!says.is_null()) word["uniform"] = says;
      }
    });
    page.browser.hover(ScenePage::word(2, shown_word));
  };
  const auto readout = [&] {
    return page.ask("document.querySelector(\".card .panel[data-model='2'] .readout\").textContent")
        .get<std::string>();
  };
  const auto says_uniform = [&] { return readout().find("uniform") != std::string::npos; };
  with(true, 0);
  CHECK(says_uniform());
  with(false, 1);
  CHECK_FALSE(says_uniform());
  page.browser.press("h");  // head 0 of the last layer
  CHECK(readout().find("entropy 0.50") != std::string::npos);
  CHECK_FALSE(says_uniform());
  // A page that an older version wrote lacks both for views, and `uniform` for words.
  with(nullptr, 2);
  CHECK(says_uniform());
  page.browser.press("h");
  CHECK(readout().find("entropy 1.00 \u00b7 uniform") != std::string::npos);
}

// How far the maps of models differ, as the explorer says it and sorts by it.

// Gives each word of a caption the map of these bytes, whose scale is from 0 to 1.
void set_maps(Json& caption, const std::vector<std::uint8_t>& bytes) {
  caption["packed"] = {{"low", 0}, {"high", 1}};
  for (Json& word : caption["words"]) {
    word["attention"] = base64(bytes);
    word["entropy"] = 0.5;
    word["uniform"] = false;
  }
}

Json& own_caption(Json& data, std::size_t image, std::size_t m) {
  const std::string regime = data["models"][m]["regimes"][0];
  return data["images"][image]["models"][m]["regimes"][regime];
}

std::string summary(auto& page, const std::string& image) {
  return page.ask("document.querySelector(\".card[data-image='" + image +
                  "'] .card-summary\").textContent");
}

TEST_CASE("images are sorted by how far the maps of the same words differ") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  // The soft model has all weight on the first cell. Of the hard model's, a share has moved to the
  // next cell. The third model has no word in common with them.
  const std::array<int, 4> moved{51, 255, 0, 153};  // of 255
  page.change([&](Json& data) {
    for (std::size_t i = 0; i < moved.size(); ++i) {
      std::vector<std::uint8_t> one(32, 0), other(32, 0);
      one[0] = 255;
      other[0] = static_cast<std::uint8_t>(255 - moved[i]);
      other[1] = static_cast<std::uint8_t>(moved[i]);
      set_maps(own_caption(data, i, 0), one);
      own_caption(data, i, 1)["words"] = own_caption(data, i, 0)["words"];
      set_maps(own_caption(data, i, 1), other);
      for (Json& word : own_caption(data, i, 2)["words"]) word["text"] = "nothing";
    }
  });
  page.choose("Order", "apart");
  CHECK(page.ask("[...document.querySelectorAll('.card')].map((c) => "
                 "Number(c.dataset.image.slice(-1)))") == Json({1, 3, 0, 2}));
  for (int i = 0; i < 4; ++i) page.browser.press("j");  // cards are built when they come near
  REQUIRE(page.browser.becomes("document.querySelectorAll('.card .card-summary').length === 4"));
  CHECK(summary(page, "scene-test-1").find("maps of the same words by 1.00") != std::string::npos);
  CHECK(summary(page, "scene-test-3").find("maps of the same words by 0.60") != std::string::npos);
  CHECK(summary(page, "scene-test-2").find("maps of the same words by 0.00") != std::string::npos);
  CHECK(summary(page, "scene-test-1").find("words differ by 1.00") != std::string::npos);
  page.browser.press("3");
  CHECK(summary(page, "scene-test-1").find("words differ by 0.00") != std::string::npos);
  // A model by itself differs from none.
  page.browser.press("2");
  CHECK(summary(page, "scene-test-1").find("differ") == std::string::npos);
  CHECK(summary(page, "scene-test-1").find("same words") == std::string::npos);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("maps on different parts of a photo are compared where they lie on it") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<WideReport> page;
  // Both are even on what the network sees: the whole of the photo, and its middle half.
  page.change([](Json& data) {
    own_caption(data, 0, 1)["words"] = own_caption(data, 0, 0)["words"];
    for (std::size_t m = 0; m < 2; ++m)
      set_maps(own_caption(data, 0, m), std::vector<std::uint8_t>(64, 16));
  });
  CHECK(page.ask("document.querySelector('.card-summary').textContent")
            .get<std::string>()
            .find("maps of the same words by 0.50") != std::string::npos);
}

// What can be taken from a report: links to an image, a model and a word, and panels as pictures.

TEST_CASE("the address names the image, the model and the word, and opens them again") {
  SACCADE_NEEDS_BROWSER();
  ScenePage page;
  page.browser.click(ScenePage::word(1, 1));
  const std::string hash = page.ask("location.hash");
  CHECK(hash == "#image=scene-test-0&model=hard&word=1");
  page.browser.press("j");
  CHECK(page.ask("location.hash").get<std::string>().find("#image=scene-test-1&") == 0);
  const auto shows = [&](const std::string& image, int m, int word) {
    return page.browser.becomes(
        "document.querySelector('.card.current')?.dataset.image === '" + image +
        "' && document.querySelector(\".card.current .panel[data-model='" + std::to_string(m) +
        "'] .word.on\")?.dataset.index === '" + std::to_string(word) + "'");
  };
  page.browser.run("location.hash = '#image=scene-test-3&model=soft&word=0'");
  CHECK(shows("scene-test-3", 0, 0));
  // In a page that is opened anew, and where the model is hidden.
  page.browser.visit(page.ask("location.href.replace(/#.*/, '')").get<std::string>() +
                     "?again#image=scene-test-2&model=hard&word=1");
  CHECK(shows("scene-test-2", 1, 1));
  page.browser.press("2");
  CHECK(page.ask("document.querySelectorAll('.card.current .panel').length") == 2);
  page.browser.run("location.hash = '#image=scene-test-0&model=hard&word=0'");
  CHECK(shows("scene-test-0", 1, 0));
  CHECK(page.ask("document.querySelectorAll('.card.current .panel').length") == 3);
  // Addresses of what the page lacks change nothing.
  page.browser.run("location.hash = '#image=none&model=hard&word=0'");
  page.browser.run("location.hash = '#image=scene-test-0&model=hard&word=99'");
  CHECK(shows("scene-test-0", 1, 0));
  page.run(
      "Object.defineProperty(navigator, 'clipboard', "
      "{value: {writeText: async (text) => { window.copied = text; }}}); return null");
  page.browser.click(".card.current .panel[data-model='1'] .panel-tools button:nth-child(3)");
  CHECK(page.ask("window.copied")
            .get<std::string>()
            .find("?again#image=scene-test-0&model=hard&word=0") != std::string::npos);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("a panel is saved as PNG and as SVG, with its caption and the map that is shown") {
  SACCADE_NEEDS_BROWSER();
  ScenePage page;
  page.change([](Json& data) { caption_of(data, 0)["words"][1]["text"] = "<b>&amp;"; });
  page.browser.press("b");  // no boxes
  page.browser.click(ScenePage::word(0, 1));
  page.run(
      "window.saved = []; HTMLAnchorElement.prototype.click = function () { "
      "saved.push([this.download, this.href]); }; return null");
  const std::string button = ".card .panel[data-model='0'] .panel-tools button:nth-child(";
  page.browser.click(button + "1)");
  page.browser.click(button + "2)");
  const Json saved = page.ask("window.saved");
  REQUIRE(saved.size() == 2);
  CHECK(saved[0][0] == "scene-test-0-soft-1-_b_amp_.png");
  CHECK(saved[1][0] == "scene-test-0-soft-1-_b_amp_.svg");
  const std::string png = saved[0][1], mark = "data:image/png;base64,";
  REQUIRE(png.find(mark) == 0);
  const std::vector<int> bytes = bytes_of(png.substr(mark.size()));
  const Image picture =
      decode_image(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), "the saved panel", {});
  CHECK(picture.width == 720);
  CHECK(picture.height > 360);
  // The canvas in the middle of the picture, and white around it.
  CHECK(static_cast<int>(picture.pixel(2, 2)[0]) == 255);
  const Json canvas = page.run(
      "const c = document.querySelector(\"" + ScenePage::canvas(0) +
      "\"); return [...c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data]");
  const Index middle = 16 + 15 + 12 + 688 / 2;  // a square photo is 688 x 688
  for (std::size_t c = 0; c < 3; ++c)
    CHECK(std::abs(picture.pixel(middle, 360)[c] - canvas[c].get<int>()) < 25);
  const Json texts = page.run(
      "const text = decodeURIComponent(saved[1][1].slice(saved[1][1].indexOf(',') + 1));"
      "const root = new DOMParser().parseFromString(text, 'image/svg+xml');"
      "return [...root.querySelectorAll('text')].map((t) => t.textContent)");
  const Json words = page.ask(
      "[...document.querySelectorAll(\".card:first-child .panel[data-model='0'] .word "
      ".text\")].map((t) => t.textContent)");
  REQUIRE(texts.size() == words.size() + 2);
  CHECK(texts[0] == "soft \u00b7 expectation \u00b7 scene-test-0");
  for (std::size_t i = 0; i < words.size(); ++i) CHECK(texts[i + 1] == words[i]);
  CHECK(page.ask("/<image[^>]*href=\"data:image.png/.test(decodeURIComponent(saved[1][1]))") ==
        true);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

}  // namespace
}  // namespace saccade::test::report_maps_test
