// The page of `saccade serve`, as a person uses it: pictures are given to it, captions appear, and
// words move the map.
#include <array>

#include "core/io/array_file.h"
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

TEST_CASE("a picture is dropped with the file of its features, which stand for it") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  const GridShape grid = page.loaded.models()[0].loaded->model->encoder_grid();
  std::vector<float> values;
  for (Index i = 0; i < grid.size(); ++i) values.push_back(i % 5 == 0 ? 2.0F : 0.0F);
  const std::string file = numpy_file(std::array{grid.rows, grid.cols, grid.features}, values);
  const Json bytes =
      std::vector<int>(reinterpret_cast<const std::uint8_t*>(file.data()),
                       reinterpret_cast<const std::uint8_t*>(file.data()) + file.size());
  const auto drop = [&](const std::string& name, const std::string& colour, bool picture) {
    page.browser.run(
        "const c = document.createElement('canvas'); c.width = 40; c.height = 30;"
        "const d = c.getContext('2d'); d.fillStyle = '" +
        colour +
        "'; d.fillRect(0, 0, 40, 20);"
        "const t = new DataTransfer();" +
        (picture ? "t.items.add(new File([await new Promise((done) => c.toBlob(done))], '" + name +
                       ".png'));"
                 : "") +
        "t.items.add(new File([new Uint8Array(" + bytes.dump() + ")], '" + name +
        ".npy'));"
        "document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, "
        "dataTransfer: t}));");
  };
  drop("red", "red", true);
  REQUIRE(page.shows(1));
  drop("blue", "blue", true);
  REQUIRE(page.shows(2));
  CHECK(page.ask("[...document.querySelectorAll('.card h3')].map((h) => h.textContent)") ==
        Json::array({"blue.png", "red.png"}));
  const Json words = page.ask(
      "[...document.querySelectorAll('.card')].map((card) => "
      "[...card.querySelectorAll('.word')].map((w) => w.textContent + w.title).join(' '))");
  CHECK(words.at(0) == words.at(1));
  drop("alone", "red", false);
  CHECK(page.fails("alone.npy: features of which picture?"));
  CHECK(page.browser.complaints() == std::vector<std::string>{});
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

// Photos from a camera, on the page of `saccade serve`. The tests replace what the browser offers:
// the machine that runs them has no camera.

// A camera whose picture is a moving square.
const char* const kCamera = R"(
  navigator.mediaDevices.enumerateDevices = async () => [{kind: 'videoinput'}];
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    window.wanted = wanted;
    const canvas = Object.assign(document.createElement('canvas'), {width: 64, height: 48});
    const draw = canvas.getContext('2d');
    let at = 0;
    setInterval(() => {
      draw.fillStyle = '#234';
      draw.fillRect(0, 0, 64, 48);
      draw.fillStyle = '#e33';
      draw.fillRect(at++ % 40, 10, 20, 20);
    }, 40);
    return window.stream = canvas.captureStream(25);
  };)";

std::string shown(const char* id) {
  return "document.querySelector('" + std::string(id) + "').checkVisibility()";
}

TEST_CASE("a photo is taken with the camera and captioned") {
  SACCADE_NEEDS_BROWSER();
  LivePage page(kCamera);
  REQUIRE(page.browser.becomes(shown("#camera")));
  CHECK(page.ask(shown("#no-camera")) == false);
  page.browser.resize(390, 844);
  page.browser.run("document.querySelector('#camera').focus()");
  page.browser.press("Enter");
  REQUIRE(
      page.browser.becomes("document.querySelector('#camera-dialog').open && "
                           "document.activeElement.id === 'shutter'"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 390);
  CHECK(page.ask("[wanted.audio, wanted.video.facingMode]") == Json::array({false, "environment"}));
  CHECK(page.ask(std::string(kNameless)) == Json::array());
  for (const char* scheme : {"light", "dark"}) {
    page.browser.prefer(scheme);
    CHECK(Json::parse(page.browser.run(kLowContrasts)) == Json::array());
  }
  REQUIRE(page.browser.becomes("document.querySelector('#camera-dialog video').videoWidth"));
  page.browser.press("Enter");
  REQUIRE(page.shows(1));
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "photo 1.jpg");
  CHECK(
      page.ask("document.querySelector('.card-summary').textContent.startsWith('64 \\u00d7 48')") ==
      true);
  CHECK(page.ask("document.querySelector('#camera-dialog').open") == false);
  CHECK(page.ask("stream.getTracks().every((track) => track.readyState === 'ended')") == true);
  CHECK(page.browser.complaints() == std::vector<std::string>{});

  // Escape closes the dialog, and the camera is off then.
  page.browser.click("#camera");
  REQUIRE(page.browser.becomes("document.activeElement.id === 'shutter'"));
  page.browser.press("Escape");
  REQUIRE(page.browser.becomes("!document.querySelector('#camera-dialog').open"));
  CHECK(page.browser.becomes("stream.getTracks().every((t) => t.readyState === 'ended')"));
  CHECK(page.ask("document.querySelectorAll('.card').length") == 1);
}

TEST_CASE("a camera that is not allowed leaves a reason") {
  SACCADE_NEEDS_BROWSER();
  LivePage page(
      "navigator.mediaDevices.enumerateDevices = async () => [{kind: 'videoinput'}];"
      "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('no', "
      "'NotAllowedError'); };");
  REQUIRE(page.browser.becomes(shown("#camera")));
  page.browser.click("#camera");
  CHECK(page.browser.becomes(
      "document.querySelector('#camera-state').textContent.includes('was not allowed')"));
  CHECK(page.ask("document.querySelector('#shutter').disabled") == true);
}

TEST_CASE("while the browser does not list devices, the page offers the camera") {
  SACCADE_NEEDS_BROWSER();
  LivePage page("navigator.mediaDevices.enumerateDevices = () => new Promise(() => {});");
  CHECK(page.browser.becomes(shown("#camera")));
  // A window that comes to the front looks again.
  page.browser.run(
      "navigator.mediaDevices.enumerateDevices = async () => [];"
      "window.dispatchEvent(new Event('focus'));");
  CHECK(page.browser.becomes(shown("#no-camera")));
  CHECK(page.ask(shown("#camera")) == false);
}

TEST_CASE("where there is no camera, the page says why") {
  SACCADE_NEEDS_BROWSER();
  const auto reason = [](LivePage& page) -> std::string {
    REQUIRE(page.browser.becomes(shown("#no-camera")));
    CHECK(page.ask(shown("#camera")) == false);
    CHECK(page.ask("document.querySelector('#no-camera').textContent.includes("
                   "document.querySelector('#no-camera').title)") == true);
    return page.ask("document.querySelector('#no-camera').title");
  };
  LivePage none("navigator.mediaDevices.enumerateDevices = async () => [];");
  CHECK(reason(none).find("no camera") != std::string::npos);
  // One that is plugged in gets its button.
  none.browser.run(
      "navigator.mediaDevices.enumerateDevices = async () => [{kind: 'videoinput'}];"
      "navigator.mediaDevices.dispatchEvent(new Event('devicechange'));");
  CHECK(none.browser.becomes(shown("#camera")));

  const std::string insecure =
      "Object.defineProperty(Navigator.prototype, 'mediaDevices', {get: () => undefined});"
      "Object.defineProperty(window, 'isSecureContext', {get: () => false});";
  LivePage far(insecure);
  CHECK(reason(far).find("over https") != std::string::npos);

  // A phone has its camera app, also for pages that are not secure.
  LivePage phone(insecure + "HTMLInputElement.prototype.capture = '';");
  REQUIRE(phone.browser.becomes(shown("#camera")));
  CHECK(phone.ask("document.querySelector('#camera-file').getAttribute('capture')") ==
        "environment");
  phone.browser.run(
      "document.querySelector('#camera-file').addEventListener('click', (event) => { "
      "event.preventDefault(); window.app = true; });");
  phone.browser.click("#camera");
  CHECK(phone.browser.becomes("window.app"));
  phone.browser.choose("#camera-file", phone.picture("shot.png", 60));
  CHECK(phone.shows(1));
}

}  // namespace
}  // namespace saccade::test
