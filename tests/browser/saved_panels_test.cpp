// What can be taken from a report: links to an image, a model and a word, and panels as pictures.
#include "tests/browser/open_report.h"
#include "tests/support/base64_bytes.h"
#include "vision/images/image.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;
using Page = OpenReport<SceneReport>;

TEST_CASE("the address names the image, the model and the word, and opens them again") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.browser.click(Page::word(1, 1));
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
  Page page;
  page.change([](Json& data) { caption_of(data, 0)["words"][1]["text"] = "<b>&amp;"; });
  page.browser.press("b");  // no boxes
  page.browser.click(Page::word(0, 1));
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
      "const c = document.querySelector(\"" + Page::canvas(0) +
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
}  // namespace saccade::test
