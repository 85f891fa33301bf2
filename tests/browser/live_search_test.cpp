// The controls of `saccade serve`'s page for how words are searched, and for the map that is shown.
#include <chrono>
#include <thread>

#include "tests/browser/open_live_page.h"
#include "tests/browser/page_checks.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

// The addresses of all requests for captions.
const char* const kRequests =
    "performance.getEntriesByType('resource').map((e) => e.name.replace(location.origin, ''))"
    ".filter((name) => name.startsWith('/caption'))";

// Gives a value to the first element that matches a selector, as a person does.
void set(LivePage& page, const std::string& selector, const std::string& value) {
  page.browser.run("const e = document.querySelector(" + Json(selector).dump() +
                   "); e.value = " + Json(value).dump() +
                   "; for (const type of ['input', 'change']) "
                   "e.dispatchEvent(new Event(type, {bubbles: true}));");
}

// Waits until the page has requested captions `count` times, and all cards show those of the last
// request.
bool has_requested(LivePage& page, int count) {
  return page.browser.becomes(std::string(kRequests) + ".length === " + std::to_string(count)) &&
         page.browser.becomes(
             "!document.querySelector('.card[aria-busy]') && "
             "!document.querySelector('.uploads li:not(.failed)')");
}

// The captions on the cards, newest card first, model by model.
Json shown_captions(LivePage& page) {
  return page.ask(
      "[...document.querySelectorAll('.card')].map((card) => "
      "[...card.querySelectorAll('.panel')].map((panel) => "
      "[...panel.querySelectorAll('.word .text')].map((w) => w.textContent).join(' ')))");
}

// The captions that the server's program finds for a file.
Json captions_of(const LivePage& page, const std::filesystem::path& file,
                 const RequestedSearch& requested) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const Json answer = Json::parse(page.captions.caption_json(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, requested));
  Json out;
  for (const ShownModel& model : page.loaded.models())
    out.push_back(answer.at("captions").at(model.name));
  return out;
}

TEST_CASE("beam and temperature change the captions of the pictures on the page") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  const std::filesystem::path first = page.picture("first.png", 20),
                              second = page.picture("second.png", 220);
  page.bring(first);
  REQUIRE(page.shows(1));
  page.bring(second);
  REQUIRE(page.shows(2));
  REQUIRE(has_requested(page, 2));
  const auto shows = [&](const RequestedSearch& search) {
    return shown_captions(page) ==
           Json::array({captions_of(page, second, search), captions_of(page, first, search)});
  };
  CHECK(shows({}));
  CHECK(page.ask("document.querySelector('#search [name=beam]').checkVisibility()") == false);

  set(page, "#search select", "beam");
  REQUIRE(has_requested(page, 4));
  set(page, "#search [name=beam]", "1");
  REQUIRE(has_requested(page, 6));
  CHECK(page.ask(kRequests)[5] == "/caption?mode=beam&beam=1");
  CHECK(shows({.mode = SearchMode::kBeam, .beam = 1}));
  // A number that the server would refuse is marked, and not sent.
  for (const char* wrong : {"0", "21", "2.5", ""}) {
    INFO(wrong);
    set(page, "#search [name=beam]", wrong);
    CHECK(page.ask("document.querySelector('#search [name=beam]').ariaInvalid") == "true");
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK(page.ask(std::string(kRequests) + ".length") == 6);

  set(page, "#search select", "sample");
  REQUIRE(has_requested(page, 8));
  CHECK(page.ask("document.querySelector('#search [name=beam]').checkVisibility()") == false);
  set(page, "#search [name=temperature]", "3.3");
  REQUIRE(has_requested(page, 10));
  CHECK(shows({.mode = SearchMode::kSample, .temperature = 3.3}));
  page.browser.click("#draw-again");
  REQUIRE(has_requested(page, 12));
  CHECK(page.ask(kRequests)[11] == "/caption?mode=sample&temperature=3.3&seed=2");
  CHECK(shows({.mode = SearchMode::kSample, .temperature = 3.3, .seed = 2}));
  CHECK(page.ask("document.querySelector('#command pre').textContent")
            .get<std::string>()
            .find("/caption?mode=sample&temperature=3.3&seed=2'") != std::string::npos);
  // A new picture is captioned as the others are.
  page.bring(page.picture("third.png", 90));
  REQUIRE(page.shows(3));
  CHECK(page.ask(kRequests)[12] == page.ask(kRequests)[11]);
  set(page, "#search select", "");
  REQUIRE(has_requested(page, 16));
  CHECK(page.browser.complaints() == std::vector<std::string>{});

  // Pictures keep their captions where the server is gone, and the page says so.
  page.server.end();
  const Json before = shown_captions(page);
  set(page, "#search select", "greedy");
  CHECK(page.fails("first.png keeps its captions: the server does not answer"));
  CHECK(shown_captions(page) == before);
}

TEST_CASE(
    "a search that changes while pictures are captioned ends in the last one that was chosen") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  const std::filesystem::path file = page.picture("one.png", 20);
  page.bring(file);
  REQUIRE(page.shows(1));
  set(page, "#search select", "sample");
  for (const char* temperature : {"2", "4", "8", "6"}) {
    set(page, "#search [name=temperature]", temperature);
    std::this_thread::sleep_for(std::chrono::milliseconds(310));
  }
  REQUIRE(page.browser.becomes(std::string(kRequests) +
                               ".at(-1) === '/caption?mode=sample&temperature=6'"));
  REQUIRE(page.browser.becomes("!document.querySelector('.card[aria-busy]')"));
  CHECK(shown_captions(page)[0] ==
        captions_of(page, file, {.mode = SearchMode::kSample, .temperature = 6}));
}

TEST_CASE("sliders follow their numbers, and the numbers the sliders") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  page.bring(page.picture("one.png", 20));
  REQUIRE(page.shows(1));
  const std::string beam = "[aria-label='Beam, slider']", layer = "[aria-label^='Layer, from']";
  const auto value = [&](const std::string& selector) {
    return page.ask("document.querySelector(\"" + selector + "\").value");
  };
  set(page, "#search select", "beam");
  REQUIRE(has_requested(page, 2));
  set(page, beam, "7");
  REQUIRE(has_requested(page, 3));
  CHECK(value("#search [name=beam]") == "7");
  CHECK(page.ask(kRequests)[2] == "/caption?mode=beam&beam=7");
  set(page, "#search [name=beam]", "4");
  REQUIRE(has_requested(page, 4));
  CHECK(value(beam) == "4");
  set(page, "#search select", "sample");
  REQUIRE(has_requested(page, 5));
  CHECK(page.ask("document.querySelector(\"" + beam + "\").checkVisibility()") == false);
  set(page, "[aria-label='Temperature, slider']", "2.5");
  REQUIRE(has_requested(page, 6));
  CHECK(page.ask(kRequests)[5] == "/caption?mode=sample&temperature=2.5");

  // Layers are on the page already.
  set(page, layer, "0");
  CHECK(page.ask("document.querySelector(\".panel[data-model='2'] .map-name\").textContent") ==
        ", layer 0");
  page.browser.press("l");
  CHECK(value(layer) == "1");
  CHECK(page.ask(std::string(kRequests) + ".length") == 6);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("what regions do for words is shown where it is asked for") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  page.bring(page.picture("one.png", 20));
  REQUIRE(page.shows(1));
  const auto line = [&](int m) {
    return page.ask("(() => { const e = document.querySelector(\".panel[data-model='" +
                    std::to_string(m) +
                    "'] .effect\"); return e.hidden ? null : e.textContent; })()");
  };
  CHECK(line(0) == nullptr);
  page.browser.click("#search [name=occlusion]");
  REQUIRE(has_requested(page, 2));
  CHECK(page.ask(kRequests)[1] == "/caption?occlusion=true");
  CHECK(line(0).get<std::string>().find("Without the marked region, ") == 0);
  for (const int m : {1, 2}) CHECK(line(m) != nullptr);
  // Drawing the effects asks for them by itself.
  page.browser.click("#search [name=occlusion]");
  REQUIRE(has_requested(page, 3));
  CHECK(line(0) == nullptr);
  page.browser.click("h1");  // keys are for the explorer where no control has the focus
  page.browser.press("e");
  REQUIRE(has_requested(page, 4));
  CHECK(page.ask("document.querySelector('#search [name=occlusion]').checked") == true);
  CHECK(page.ask("document.querySelector('.card .map-name').textContent") ==
        ", effects of regions");
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("a server that allows few steps says why a caption has no effects of regions") {
  SACCADE_NEEDS_BROWSER();
  LivePage page("", 1);
  page.bring(page.picture("one.png", 20));
  REQUIRE(page.shows(1));
  page.browser.click("#search [name=occlusion]");
  REQUIRE(has_requested(page, 2));
  CHECK(page.ask("document.querySelector('.effect').textContent")
            .get<std::string>()
            .find("Without effects of regions: occlusion of these words on 16 regions takes ") ==
        0);
  page.browser.resize(360, 740);
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
}

TEST_CASE("layer and head are chosen among the maps that the page has") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  page.bring(page.picture("one.png", 20));
  REQUIRE(page.shows(1));
  const auto drawn = [&] {
    return page.ask("document.querySelector(\".panel[data-model='2'] .photo\").toDataURL()");
  };
  const auto field = [](const char* name) {
    return "[...document.querySelectorAll('#controls .field')].find((f) => "
           "f.firstChild.textContent === '" +
           std::string(name) + "').querySelector('select')";
  };
  const auto choose = [&](const char* name, const char* value) {
    page.browser.run("const e = " + field(name) + "; e.value = '" + value +
                     "'; e.dispatchEvent(new Event('change'));");
  };
  page.browser.run("document.querySelector(\".panel[data-model='2'] .word\").click()");
  const Json last = drawn();
  choose("Layer", "0");
  const Json first = drawn();
  CHECK(first != last);
  choose("Head", "1");
  CHECK(drawn() != first);
  CHECK(page.ask("document.querySelector(\".panel[data-model='2'] .map-name\").textContent") ==
        ", layer 0, head 1");
  CHECK(page.ask(std::string(kRequests) + ".length") == 1);
}

TEST_CASE("with all controls the page fits a phone, and the keyboard reaches them") {
  SACCADE_NEEDS_BROWSER();
  LivePage page;
  page.bring(page.picture("a picture with a long name that has no place on a phone.png", 120));
  REQUIRE(page.shows(1));
  page.browser.resize(390, 844);
  REQUIRE(page.browser.becomes("window.innerWidth === 390"));
  for (const char* mode : {"beam", "sample"}) {
    set(page, "#search select", mode);
    INFO(mode);
    REQUIRE(page.browser.becomes(std::string(kRequests) + ".at(-1).includes('mode=" + mode +
                                 "') && !document.querySelector('.card[aria-busy]')"));
    CHECK(page.ask("document.documentElement.scrollWidth") == 390);
    CHECK(page.ask("[...document.querySelectorAll('#search *, .bring *')].filter((e) => "
                   "e.getBoundingClientRect().right > 390).map((e) => e.outerHTML)") ==
          Json::array());
  }
  CHECK(page.ask(std::string(kNameless)) == Json::array());
  for (const char* scheme : {"light", "dark"}) {
    page.browser.prefer(scheme);
    INFO(scheme);
    CHECK(Json::parse(page.browser.run(kLowContrasts)) == Json::array());
  }
  page.browser.run(
      "window.reached = new Set(); document.addEventListener('focusin', (event) => "
      "reached.add(event.target)); (" +
      std::string(kReachable) + ")[0].focus();");
  const int count = page.ask(std::string(kReachable) + ".length").get<int>();
  REQUIRE(count > 12);
  for (int i = 0; i < count + 5; ++i) page.browser.press("Tab");
  // Of a caption one word takes part in the order, the one that is shown, which changes meanwhile.
  CHECK(page.ask("[...document.querySelectorAll('.caption')].every((caption) => "
                 "[...reached].some((e) => caption.contains(e)))") == true);
  CHECK(page.ask(std::string(kReachable) + ".filter((e) => !reached.has(e) && !e.matches('.word'))"
                                           ".map((e) => e.outerHTML.slice(0, 120))") ==
        Json::array());
  CHECK(page.ask("['choose', 'draw-again'].every((id) => "
                 "reached.has(document.getElementById(id)))") == true);
}

}  // namespace
}  // namespace saccade::test
