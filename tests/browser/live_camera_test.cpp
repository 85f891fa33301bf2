// Photos from a camera, on the page of `saccade serve`. The tests replace what the browser offers:
// the machine that runs them has no camera.
#include "tests/browser/open_live_page.h"
#include "tests/browser/page_checks.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

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
