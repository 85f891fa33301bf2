// What a report promises beside its pictures: it is one file, safe, accessible, and fits a phone.
#include <regex>

#include "tests/browser/open_report.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

TEST_CASE("a report asks for nothing outside its file and complains of nothing") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  const std::string text = TempFolder::read(page.report.page());
  const std::regex address("https?://[^'\" ]*");
  for (std::sregex_iterator it(text.begin(), text.end(), address), end; it != end; ++it)
    CHECK(it->str() == "http://www.w3.org/2000/svg");
  page.browser.run(
      "document.querySelectorAll('details').forEach((d) => { d.open = true; });"
      "window.scrollTo(0, document.body.scrollHeight)");
  REQUIRE(page.browser.becomes("document.querySelectorAll('.card .photo').length === 12"));
  CHECK(page.ask("performance.getEntriesByType('resource').map((entry) => entry.name)"
                 ".filter((name) => !name.startsWith('data:'))") == Json::array());
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("sections show the numbers of the runs, to copy and as CSV") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  CHECK(page.ask("[...document.querySelectorAll('#sections > section')].map((s) => s.id)") ==
        Json::array({"curves", "scores", "health", "config", "again"}));
  CHECK(page.browser.becomes("document.querySelectorAll('#curves path').length === 3"));
  CHECK(page.ask("document.querySelector('#scores tbody tr').textContent")
            .get<std::string>()
            .find("0.250") != std::string::npos);
  const std::string csv =
      page.ask("decodeURIComponent(document.querySelector('#config a[download]').href)");
  CHECK(csv.find("attention.selection,soft,hard,soft") != std::string::npos);
  CHECK(page.ask("document.querySelector('#again pre').textContent").get<std::string>().size() > 0);
}

TEST_CASE("text that is markup stays text") {
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

TEST_CASE("a phone's width is enough") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  page.browser.resize(360, 740);
  page.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  CHECK(page.ask("[...document.querySelectorAll('button, select, input')].filter((e) => "
                 "e.offsetParent && !e.closest('.scroll')).filter((e) => { const b = "
                 "e.getBoundingClientRect(); return b.left < 0 || b.right > 360; }).length") == 0);
}

// Of every text that is seen: colour against what lies behind it (WCAG 2.1).
constexpr const char* kLowContrasts = R"(
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) =>
    v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const low = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest('script, noscript, .hidden')) continue;
    const style = getComputedStyle(e);
    const colour = rgba(e.closest('svg') ? style.fill : style.color);
    const a = light(colour), b = light(ground(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push(e.textContent.slice(0, 30) + ' ' + contrast.toFixed(2));
  }
  return low;)";

TEST_CASE("text stands out, light and dark, and everything to be used has a name") {
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
  page.browser.click("#theme-button");  // light, whatever the system prefers
  CHECK(page.ask("getComputedStyle(document.body).backgroundColor") == grounds[0]);
  CHECK(page.ask("[...document.querySelectorAll('button, a, select, input, canvas[tabindex], "
                 "[role=img], [role=region]')].filter((e) => !(e.textContent.trim() || "
                 "e.getAttribute('aria-label') || e.closest('label')?.textContent.trim()))"
                 ".map((e) => e.outerHTML.slice(0, 80))") == Json::array());
}

}  // namespace
}  // namespace saccade::test
