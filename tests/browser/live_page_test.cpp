// The page of `saccade serve`, as a person uses it: pictures are given to it, captions appear, and
// words move the map.
#include "tests/browser/open_live_page.h"
#include "tests/browser/open_report.h"
#include "tests/browser/page_checks.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

const auto word = OpenReport<SceneReport>::word;
const auto canvas = OpenReport<SceneReport>::canvas;

TEST_CASE("a picture that is given to the page is captioned, and its words move the maps") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  page.bring(page.picture("red patch.png", 20));
  REQUIRE(page.shows(1));
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "red patch.png");
  CHECK(page.ask("document.querySelectorAll('.card .panel').length") == 3);
  CHECK(page.ask("document.querySelectorAll('.uploads li').length") == 0);
  const auto drawn = [&] {
    return page.ask("document.querySelector(\"" + canvas(0) + "\").toDataURL()");
  };
  page.browser.hover(word(0, 0));
  REQUIRE(
      page.browser.becomes("document.querySelector(\"" + canvas(0) + "\").dataset.word === '0'"));
  const Json first = drawn();
  page.browser.hover(word(0, 1));
  REQUIRE(
      page.browser.becomes("document.querySelector(\"" + canvas(0) + "\").dataset.word === '1'"));
  CHECK(drawn() != first);
  CHECK(page.ask("document.querySelectorAll('.word.on').length").get<int>() > 1);  // linked

  page.browser.click(".chip:nth-child(2)");
  CHECK(page.ask("document.querySelectorAll('.card .panel').length") == 2);
  page.browser.press("2");
  for (int i = 0; i < 3; ++i) page.browser.press("r");
  CHECK(page.ask("document.querySelector(\".panel[data-model='1'] h4 .muted\").textContent") ==
        "sample");
  page.browser.press("l");
  CHECK(page.ask("document.querySelector(\".panel[data-model='2'] .map-name\").textContent") ==
        ", layer 0");
  CHECK(page.ask("[...document.querySelectorAll('.more summary')].some((s) => "
                 "s.textContent.startsWith('Beam: '))") == true);

  // The newest picture comes first, and a removed one disappears.
  page.bring(page.picture("second.png", 200));
  REQUIRE(page.shows(2));
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "second.png");
  page.browser.click(".card .tools button:last-child");
  REQUIRE(page.shows(1));
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "red patch.png");

  CHECK(page.browser.complaints() == std::vector<std::string>{});
  CHECK(page.ask("performance.getEntriesByType('resource').map((entry) => entry.name)"
                 ".filter((name) => !name.startsWith('data:') && "
                 "!name.startsWith(location.origin + '/'))") == Json::array());
  CHECK(page.ask("fetch('https://example.com/').then(() => 'reached', () => 'refused')") ==
        "refused");
}

TEST_CASE("pictures are dropped and pasted, several at once, and other files are refused") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  const std::string files =
      "const draw = async (name) => { const c = document.createElement('canvas');"
      "c.width = 40; c.height = 30; c.getContext('2d').fillRect(5, 5, 20, 10);"
      "return new File([await new Promise((done) => c.toBlob(done))], name); };"
      "const t = new DataTransfer();";
  page.browser.run(files +
                   "t.items.add(await draw('one.png')); t.items.add(await draw('two.png'));"
                   "document.body.dispatchEvent(new DragEvent('dragover', {bubbles: true}));"
                   "document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: "
                   "true, dataTransfer: t}));");
  REQUIRE(page.shows(2));
  page.browser.run(files +
                   "t.items.add(await draw('three.png'));"
                   "document.body.dispatchEvent(new ClipboardEvent('paste', {bubbles: true, "
                   "clipboardData: t}));");
  REQUIRE(page.shows(3));
  CHECK(page.ask("[...document.querySelectorAll('.card h3')].map((h) => h.textContent)") ==
        Json::array({"three.png", "two.png", "one.png"}));
  CHECK(page.browser.complaints() == std::vector<std::string>{});

  page.browser.run(
      "document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, "
      "dataTransfer: new DataTransfer()}));");
  CHECK(page.fails("That was not a picture"));
  page.bring(page.folder.write("<b>text.png", "not a picture"));
  CHECK(page.fails("<b>text.png is not an image this program reads"));
  page.bring(page.folder.write("large.png", std::string(kLimit + 1, 'x')));
  CHECK(page.fails("MiB, the most that the server takes"));
  page.browser.click(".uploads .failed button");
  CHECK(page.ask("document.querySelectorAll('.uploads .failed').length") == 2);
  page.server.end();
  page.bring(page.picture("late.png", 90));
  CHECK(page.fails("does not answer"));
}

TEST_CASE("the live page fits a phone, and its text stands out") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  page.bring(page.picture("a.png", 120));
  page.bring(page.folder.write("b.png", "not a picture"));
  REQUIRE(page.shows(1));
  REQUIRE(page.fails("is not an image"));
  for (const char* scheme : {"light", "dark"}) {
    page.browser.prefer(scheme);
    INFO(scheme);
    CHECK(Json::parse(page.browser.run(kLowContrasts)) == Json::array());
  }
  CHECK(page.ask(std::string(kNameless)) == Json::array());
  page.browser.resize(360, 740);
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  // The size of a grid, "4 x 4", stays in one line.
  CHECK(
      page.ask("(() => { const lines = document.createRange();"
               "lines.selectNodeContents(document.querySelector('#models tbody td:nth-child(4)'));"
               "return lines.getClientRects().length; })()") == 1);
}

}  // namespace
}  // namespace saccade::test
