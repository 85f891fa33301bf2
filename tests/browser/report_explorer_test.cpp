// The attention explorer of a report, as a person uses it.
#include "core/base/mean.h"
#include "core/io/base64.h"
#include "experiments/commands/overlay.h"
#include "tests/browser/open_report.h"
#include "vision/images/image.h"

namespace saccade::test::report_explorer_test {
namespace {

using Json = nlohmann::json;
using Page = OpenReport<SceneReport>;

TEST_CASE("pointing at words moves the map, in every model") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.browser.hover(Page::word(0, 0));
  REQUIRE(page.browser.becomes("document.querySelector(\"" + Page::canvas(0) +
                               "\").dataset.word === '0'"));
  const Json first = page.pixels(0, 4, 8);
  page.browser.hover(Page::word(0, 1));
  REQUIRE(page.browser.becomes("document.querySelector(\"" + Page::canvas(0) +
                               "\").dataset.word === '1'"));
  CHECK(page.pixels(0, 4, 8) != first);
  // The other models show the word of the same spelling or place, and mark it as linked.
  CHECK(page.ask("document.querySelectorAll('.card:first-child .word.on').length") == 3);
  CHECK(page.ask("document.querySelectorAll('.card:first-child .word.linked').length") == 2);
  CHECK(page.ask("document.querySelector(\"" + Page::word(0, 1) +
                 "\").getAttribute('aria-pressed')") == "true");
  const std::string readout =
      page.ask("document.querySelector('.card .readout').textContent").get<std::string>();
  CHECK(readout.find("p 0.") != std::string::npos);
  CHECK(readout.find("entropy") != std::string::npos);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("the words of a script that is written from right to left run in its direction") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto first_is_on_the_right = [&](const std::string& word) {
    return page.ask(
        "(() => { const caption = document.querySelector('.card .caption');"
        "for (const text of caption.querySelectorAll('.word .text'))"
        "  text.textContent = '" +
        word +
        "';"
        "const [a, b] = caption.querySelectorAll('.word');"
        "return a.getBoundingClientRect().left > b.getBoundingClientRect().left; })()");
  };
  CHECK(first_is_on_the_right("\u0643\u0644\u0628") == true);
  CHECK(first_is_on_the_right("dog") == false);
}

// The mean difference of two pictures that were sampled at the cells of a grid. `of` tells which
// cell of the second picture is compared with cell i of the first.
template <class F>
double difference(const Json& page, const Image& panel, F of) {
  double sum = 0;
  for (int i = 0; i < 32; ++i) {
    const int cell = of(i);
    const Index y = (2 * (cell / 8) + 1) * panel.height / 8,
                x = (2 * (cell % 8) + 1) * panel.width / 16;
    for (std::size_t c = 0; c < 3; ++c)
      sum += std::abs(page[static_cast<std::size_t>(i)][c].get<double>() - panel.pixel(y, x)[c]);
  }
  return sum / 96;
}

TEST_CASE("the heat is where saccade overlay draws it") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  OverlayArgs args{
      .model = {.checkpoint = page.report.run("soft").string()}, .split = "test", .count = 1};
  args.out = (page.report.folder() / "overlay").string();
  args.drawing.style = "cells";
  run_overlay(args);
  std::vector<std::filesystem::path> panels;
  for (const auto& entry :
       std::filesystem::directory_iterator(page.report.folder() / "overlay" / "scene-test-0"))
    panels.push_back(entry.path());
  std::sort(panels.begin(), panels.end());
  REQUIRE(static_cast<int>(panels.size()) ==
          page.ask("document.querySelectorAll(\".card .panel[data-model='0'] .word\").length")
                  .get<int>() /
              page.ask("document.querySelectorAll('.card header').length").get<int>());
  page.browser.press("c");  // cells
  page.browser.press("b");  // no boxes
  double right = 0, turned = 0;
  for (std::size_t w = 0; w < panels.size(); ++w) {
    page.browser.hover(Page::word(0, static_cast<int>(w)));
    const Json seen = page.pixels(0, 4, 8);
    const Image panel = read_image(panels[w]);
    right += difference(seen, panel, [](int i) { return i; });
    turned +=
        std::min(difference(seen, panel, [](int i) { return 31 - i; }),
                 std::min(difference(seen, panel, [](int i) { return i / 8 * 8 + 7 - i % 8; }),
                          difference(seen, panel, [](int i) { return (3 - i / 8) * 8 + i % 8; })));
  }
  CAPTURE(right / static_cast<double>(panels.size()), turned / static_cast<double>(panels.size()));
  CHECK(right / static_cast<double>(panels.size()) <
        12);  // a JPEG that was enlarged, against the scene
  CHECK(turned > 1.5 * right);
}

// The panels that `saccade overlay` draws for the first test image with a run's model.
std::vector<Image> drawn_panels(const std::filesystem::path& run, const std::string& style,
                                const MapArgs& maps) {
  OverlayArgs args{.model = {.checkpoint = run.string()}, .split = "test", .count = 1};
  args.out = run.string() + "-" + style + maps.layer + maps.head;
  args.drawing.style = style;
  args.maps = maps;
  run_overlay(args);
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(args.out) / "5"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Image> panels;
  for (const std::filesystem::path& file : files) panels.push_back(read_image(file));
  return panels;
}

// What overlay's panels have more than the page's, over the words of a model's caption.
struct PanelDifference {
  Mean edge, inside;  // at the border of what the network saw, and elsewhere
  Mean distance;      // without its sign
};

// The page's photos are shown as they are now. `kSamples` is the number of samples along a side.
template <class Report>
PanelDifference compare(OpenReport<Report>& page, int model, const std::vector<Image>& panels) {
  constexpr int kSamples = 16;
  PanelDifference out;
  for (std::size_t w = 0; w < panels.size(); ++w) {
    page.browser.hover(page.word(model, static_cast<int>(w)));
    const Json seen = page.pixels(model, kSamples, kSamples);
    const Image& panel = panels[w];
    // A crop sees the middle half of the longer side; a padded photo is seen whole.
    const bool crop = model == 1, wide = panel.width > panel.height;
    for (int i = 0; i < kSamples * kSamples; ++i) {
      const int row = i / kSamples, column = i % kSamples;
      const std::uint8_t* drawn = panel.pixel((2 * row + 1) * panel.height / (2 * kSamples),
                                              (2 * column + 1) * panel.width / (2 * kSamples));
      const int along = crop == wide ? column : row;  // the side that meets the border
      const int first = crop ? kSamples / 4 : 0, last = kSamples - 1 - first;
      for (std::size_t c = 0; c < 3; ++c) {
        const double more = drawn[c] - seen[static_cast<std::size_t>(i)][c].template get<double>();
        (along == first || along == last ? out.edge : out.inside).add(more);
        out.distance.add(std::abs(more));
      }
    }
  }
  return out;
}

TEMPLATE_TEST_CASE(
    "wide and tall photos have the heat of saccade overlay, also in layers and heads", "",
    WideReport, TallReport) {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TestType> page;
  const MapArgs default_map, single{.layer = "0", .head = "0"};
  const auto check = [&](int model, const std::vector<Image>& panels,
                         const std::vector<Image>& others) {
    REQUIRE(panels.size() > 1);
    const PanelDifference own = compare(page, model, panels);
    INFO("model " << model << ": " << own.edge.value() << " " << own.inside.value() << " "
                  << own.distance.value());
    // A page that blends padding in is darker at the border than overlay's panel. (At the border of
    // wide photos it is a little brighter, because it shows an enlarged JPEG.)
    CHECK(own.edge.value() - own.inside.value() < 2);
    CHECK(own.edge.value() - own.inside.value() > -4);
    CHECK(own.distance.value() < 12);  // a JPEG that was enlarged, against the photo
    if (!others.empty())
      CHECK(compare(page, model, others).distance.value() > own.distance.value());
  };
  for (const std::string style : {"heat", "cells", "blend"}) {
    INFO(style);
    if (style != "heat") page.browser.press("c");  // cells, and smooth again
    if (style == "blend") page.browser.press("v");
    const std::vector<Image> last = drawn_panels(page.report.run(0), style, default_map),
                             first = drawn_panels(page.report.run(0), style, single);
    check(1, drawn_panels(page.report.run(1), style, default_map), {});
    check(0, last, first);
    page.browser.press("l");  // layer 0
    page.browser.press("h");  // head 0
    check(0, first, last);
    page.browser.press("l");                              // layer 1
    page.browser.press("l");                              // the mean of the layers
    page.browser.press("l");                              // the last layer
    for (int i = 0; i < 3; ++i) page.browser.press("h");  // head 1, the largest, the mean
  }
}

TEST_CASE("pointing at a place lights up the words that attend to it") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.browser.hover(Page::canvas(1), 0.3, 0.3);
  REQUIRE(page.browser.becomes("document.querySelector('.card .word.lit')"));
  const Json light = page.ask(
      "[...document.querySelectorAll(\".card:first-child .panel[data-model='1'] .word\")].map((w) "
      "=> "
      "Number(w.style.getPropertyValue('--lit')))");
  CHECK(*std::max_element(light.begin(), light.end()) == 1.0);
  CHECK(*std::min_element(light.begin(), light.end()) < 1.0);
  CHECK(page.ask("document.querySelector(\".card .panel[data-model='1'] .readout\").textContent")
            .get<std::string>()
            .find("The cell in row 1, column 2 has its largest weight for ") == 0);
  page.browser.hover("h1");
  CHECK(page.browser.becomes("!document.querySelector('.card .word.lit')"));
}

TEST_CASE("models, regimes, layers and scales are switched") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto panels = [&] {
    return page.ask("document.querySelectorAll('.card:first-child .panel').length");
  };
  CHECK(panels() == 3);
  page.browser.click(".chip:nth-child(2)");
  CHECK(panels() == 2);
  CHECK(page.ask("document.querySelector('.chip:nth-child(2)').getAttribute('aria-pressed')") ==
        "false");
  page.browser.press("2");
  CHECK(panels() == 3);
  const auto regime = [&] {
    return page.ask(
        "document.querySelector(\".card .panel[data-model='1'] h4 .muted\").textContent");
  };
  CHECK(regime() == "argmax");
  page.browser.press("r");
  page.browser.press("r");
  CHECK(regime() == "argmax");  // "each model's own", expectation, argmax
  page.browser.press("r");
  CHECK(regime() == "sample");
  const auto changes = [&](const char* key) {
    const Json before = page.pixels(2, 8, 16);
    page.browser.press(key);
    return page.pixels(2, 8, 16) != before;
  };
  page.browser.hover(Page::word(2, 1));
  CHECK(changes("l"));
  CHECK(changes("h"));
  CHECK(
      page.ask("document.querySelector(\".card .panel[data-model='2'] .map-name\").textContent") ==
      ", layer 0, head 0");
  CHECK(changes("s"));
  CHECK(changes("c"));
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("a different word in the same place is not shown as a match") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    caption_of(data, 0)["words"][1]["text"] = "shirt";
    caption_of(data, 1)["words"][1]["text"] = "water";
    caption_of(data, 2)["words"][0]["text"] = "shirt";
    caption_of(data, 2)["words"][1]["text"] = "lake";
  });
  page.browser.hover(Page::word(0, 1));
  REQUIRE(page.browser.becomes("document.querySelector('.card .word.linked')"));
  const auto is = [&](const std::string& word, const char* what) {
    return page.ask("document.querySelector(\"" + word + "\").matches('" + what + "')");
  };
  CHECK(is(Page::word(1, 1), ".placed[aria-description]") == true);
  CHECK(is(Page::word(2, 0), ".linked:not(.placed, [aria-description])") == true);
  CHECK(page.ask("document.querySelector(\".card .panel[data-model='1'] .readout\").textContent")
            .get<std::string>()
            .find("water \u00b7 word in the same place \u00b7 p ") == 0);
}

TEST_CASE("five models are in rows of three and two") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    for (std::size_t m = 0; m < 2; ++m) {
      data["models"].push_back(Json(data["models"][m]));
      for (Json& image : data["images"]) image["models"].push_back(Json(image["models"][m]));
    }
    data["config"] = Json::array();
  });
  page.browser.resize(1280, 900);
  CHECK(page.ask("[...document.querySelectorAll('.card:first-child .panel')].map((p, i, all) => "
                 "p.offsetTop === all[0].offsetTop)") ==
        Json::array({true, true, true, false, false}));
}

TEST_CASE("everything can be reached with the keyboard") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto at = [&] {
    return page.ask(
        "(() => { const e = document.activeElement; return e.closest('.card')?.dataset.image + ' ' "
        "+ "
        "e.closest('.panel')?.dataset.model + ' ' + e.dataset.index; })()");
  };
  page.browser.press("j");
  const std::string first = at().get<std::string>();
  CHECK(first.find("scene-test-0 0 ") == 0);
  CHECK(page.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid");
  for (int i = 0; i < 30; ++i) page.browser.press("ArrowLeft");
  CHECK(at() == "scene-test-0 0 0");
  page.browser.press("ArrowRight");
  CHECK(at() == "scene-test-0 0 1");
  CHECK(page.ask("document.querySelector(\"" + Page::canvas(0) + "\").dataset.word") == "1");
  page.browser.press("ArrowDown");
  CHECK(at().get<std::string>().find("scene-test-0 1 ") == 0);
  page.browser.press("j");
  CHECK(at().get<std::string>().find("scene-test-1 ") == 0);
  page.browser.press("k");
  CHECK(at().get<std::string>().find("scene-test-0 ") == 0);
  page.browser.press("Escape");
  CHECK(page.ask("document.querySelectorAll('.card:first-child .word.on').length") == 0);
  // A photo's cells.
  page.browser.run("document.querySelector(\"" + Page::canvas(0) + "\").focus()");
  page.browser.press("ArrowRight");
  page.browser.press("ArrowRight");
  CHECK(page.ask("document.querySelector('.card .readout').textContent")
            .get<std::string>()
            .find("The cell in row 2, column 5 has its largest weight for ") == 0);
  page.browser.press("?");
  CHECK(page.ask("document.querySelector('#help').open") == true);
  page.browser.press("Escape");
  CHECK(page.ask("document.querySelector('#help').open") == false);
  page.browser.press("/");
  CHECK(page.ask("document.activeElement.type") == "search");
}

TEST_CASE("images are found by words and numbers, and sorted by the difference of models") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  const auto shown = [&] {
    return page.ask("[...document.querySelectorAll('.card')].map((card) => card.dataset.image)");
  };
  const Json all = shown();
  CHECK(all.size() == 4);
  page.browser.press("/");
  for (const char* key : {"t", "e", "s", "t", "-", "2"}) page.browser.press(key);
  CHECK(shown() == Json::array({"scene-test-2"}));
  CHECK(page.ask("document.querySelector('#found').textContent") == "1 of 4 images");
  const auto set = [&](const std::string& label, const std::string& value) {
    page.browser.run(
        "const field = [...document.querySelectorAll('.field')].find((f) => "
        "f.firstChild.textContent === '" +
        label + "').lastChild; field.value = '" + value +
        "'; for (const type of ['input', 'change']) field.dispatchEvent(new Event(type));");
  };
  const std::string words = page.ask(
      "document.querySelector('[type=search]').parentNode"
      ".firstChild.textContent");
  set(words, "TEST 1");
  CHECK(shown() == Json::array({"scene-test-1"}));
  set(words, "est");  // a part of a word
  CHECK(shown().empty());
  set(words, "tes*");
  CHECK(shown() == all);
  set(words, "");
  set("Order", "ahead");
  CHECK(shown().size() == 4);
  const Json differences = page.ask(
      "(() => { const data = JSON.parse(document.querySelector('#data').textContent);"
      "const of = (id, m) => { const regimes = data.images.find((i) => i.id === "
      "id).models[m].regimes;"
      "return Object.values(regimes)[0].scores.CIDEr; };"
      "return [...document.querySelectorAll('.card')].map((c) => of(c.dataset.image, 0) - "
      "of(c.dataset.image, 1)); })()");
  CHECK(std::is_sorted(differences.rbegin(), differences.rend()));
  set("from", "1e9");
  CHECK(shown().empty());
}

TEST_CASE("images are sorted by the maps of the models that are shown") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  // Entropies .1, .2, .3, .4 and a map beside its object in images 1 and 3 (of 0 to 3).
  page.change([](Json& data) {
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t m = 0; m < 3; ++m)
        for (Json& caption : data["images"][i]["models"][m]["regimes"]) {
          for (Json& word : caption["words"]) word["entropy"] = 0.1 * static_cast<double>(i + 1);
          caption["nouns"] = {{{"word", 0}, {"boxes", Json::array()}, {"hit", i % 2 == 0}}};
        }
  });
  const auto ordered = [&](const std::string& value) {
    page.browser.run(
        "const field = [...document.querySelectorAll('.field')].find((f) => "
        "f.firstChild.textContent === 'Order').lastChild; field.value = '" +
        value + "'; field.dispatchEvent(new Event('change'));");
    return page.ask(
        "[...document.querySelectorAll('.card')].map((c) => Number(c.dataset.image.slice(-1)))");
  };
  CHECK(ordered("spread") == Json::array({3, 2, 1, 0}));
  CHECK(ordered("sharp") == Json::array({0, 1, 2, 3}));
  CHECK(ordered("astray") == Json::array({1, 3, 0, 2}));
  CHECK(ordered("aim") == Json::array({0, 2, 1, 3}));
}

TEST_CASE("of the seeds of an arm the first is shown, and others can be chosen") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    data["models"][0]["seed"] = 7;
    data["models"][1]["seed"] = 8;
  });
  const auto models = [&] {
    return page.ask(
        "[...document.querySelectorAll('.card:first-child .panel')].map((p) => "
        "Number(p.dataset.model))");
  };
  const auto choose = [&](const std::string& seed) {
    page.browser.run(
        "const field = [...document.querySelectorAll('.field')].find((f) => "
        "f.firstChild.textContent === 'Seed').lastChild; field.value = '" +
        seed + "'; field.dispatchEvent(new Event('change'));");
  };
  CHECK(models() == Json::array({0, 2}));
  choose("8");
  CHECK(models() == Json::array({1, 2}));
  CHECK(page.ask("[...document.querySelectorAll('.chip')].map((c) => "
                 "c.getAttribute('aria-pressed'))") == Json::array({"false", "true", "true"}));
  choose("");
  CHECK(models() == Json::array({0, 1, 2}));
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

}  // namespace
}  // namespace saccade::test::report_explorer_test
