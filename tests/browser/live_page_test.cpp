// The page of `saccade serve`, as a person uses it: pictures are given to it, captions appear, and
// words move the map.
#include "core/attention/selection_kind.h"
#include "experiments/serve/live_captions.h"
#include "tests/browser/open_report.h"
#include "tests/browser/page_checks.h"
#include "tests/experiments/small_models.h"
#include "tests/experiments/small_run.h"
#include "tests/support/running_server.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

constexpr Index kLimit = 200'000;

// A soft, a hard and a transformer model behind a page that a browser shows.
struct LivePage {
  TempFolder folder{"live-page"};
  SmallModels loaded;
  LiveCaptions captions;
  RunningServer server;
  Browser browser;

  LivePage()
      : loaded(write_runs()),
        captions(loaded.models()),
        server({.max_upload = kLimit}, captions.models_json(kLimit),
               [&](auto bytes) { return captions.caption_json(bytes); }) {
    browser.visit(server.url());
    REQUIRE(browser.becomes("document.querySelector('#models table')"));
  }

  std::vector<std::filesystem::path> write_runs() const {
    write_small_run(folder / "soft", small_experiment());
    write_small_run(folder / "hard", small_experiment(SelectionKind::kHard));
    write_small_run(folder / "transformer", small_transformer());
    return {folder / "soft", folder / "hard", folder / "transformer"};
  }

  // Writes a picture: a coloured rectangle on a background of brightness `level`.
  std::filesystem::path picture(const std::string& name, std::uint8_t level) const {
    Image image(48, 64, level);
    for (Index i = 0; i < 16 * 24; ++i) image.pixel(8 + i / 24, 20 + i % 24)[0] = 255;
    write_png(folder / name, image);
    return folder / name;
  }
  void bring(const std::filesystem::path& file) { browser.choose("#files", file); }
  bool shows(int cards) {
    return browser.becomes(
        "document.querySelectorAll('.card').length === " + std::to_string(cards) +
        " && [...document.querySelectorAll('.card')].every((card) => "
        "card.querySelector('.photo[data-word]')) && !document.querySelector('.uploads "
        "li:not(.failed)')");
  }
  Json ask(const std::string& expression) {
    return Json::parse(browser.run("return " + expression));
  }
  bool fails(const std::string& reason) {
    return browser.becomes(
        "document.querySelector('.uploads .failed:last-child')?.textContent"
        ".includes(" +
        Json(reason).dump() + ")");
  }
};

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
}

}  // namespace
}  // namespace saccade::test
