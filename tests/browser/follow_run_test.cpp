// The page of a run that trains: it loads itself again, and shows what was shown before.
#include <stdexcept>

#include "tests/browser/open_report.h"

namespace saccade::test::follow_run_test {
namespace {

using Json = nlohmann::json;
using Page = OpenReport<SceneReport>;

// A page whose run trains. It looks for a newer page after ten minutes, and not by itself within
// the time of a test.
void open_training(Page& page) {
  const Json now = page.ask("Date.now()");
  page.change([&](Json& data) {
    data["training"] = {
        {"state", "training"}, {"at", "epoch 1 of 9"}, {"written", now}, {"interval", 600}};
  });
}

// Puts another page into the place of the one that is open, which does not know of it.
template <class F>
void replace(Page& page, const F& edit) {
  Json data = page.ask("JSON.parse(document.querySelector('#data').textContent)");
  data["training"]["written"] = page.ask("Date.now()");
  edit(data);
  page.report.folder().write("changed.html", report_page(data.dump()));
}

// Makes the page believe that 11 minutes have passed.
void wait_long(Page& page) {
  page.browser.run("const real = Date.now; Date.now = () => real() + 660000");
}

// A question to a page that is just being loaded again may fail.
bool becomes(Page& page, const std::string& expression) {
  for (int i = 0; i < 5; ++i) try {
      if (page.browser.becomes(expression)) return true;
    } catch (const std::runtime_error&) {
    }
  return false;
}

constexpr const char* kLine = "document.querySelector('#training')?.textContent";

std::string says(const std::string& text) { return str(kLine, "?.includes('", text, "')"); }

TEST_CASE("a page of a run that trains shows the new state, and what the reader had chosen") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  open_training(page);
  CHECK(page.browser.becomes(says("training: epoch 1 of 9, updated ")));
  page.browser.resize(1000, 700);
  page.browser.press("j");
  page.browser.press("j");
  const std::string card = "document.querySelector('.card[data-image=scene-test-1]')";
  REQUIRE(page.browser.becomes(card + ".classList.contains('current')"));
  page.browser.click(".card[data-image=scene-test-1] .panel[data-model='1'] .word[data-index='2']");
  page.choose("Map", "cells");
  page.browser.run("document.querySelector('[data-part=view]').open = true");
  // goTo() holds the place for a moment after a step to an image.
  page.browser.run("window.dispatchEvent(new Event('wheel')); window.before = 1;" + card +
                   ".scrollIntoView({behavior: 'instant'});"
                   "window.scrollBy({top: 40, behavior: 'instant'})");
  const std::string top = card + ".getBoundingClientRect().top";
  const std::string place =
      "[location.hash, [...document.querySelectorAll('.field')].find((f) => "
      "f.firstChild.textContent === 'Map').lastChild.value, "
      "document.querySelector('[data-part=view]').open, " +
      card + ".classList.contains('current'), " + card +
      ".querySelector(\".panel[data-model='1'] .word.on\").dataset.index]";
  const double height = page.ask(top);
  const Json before = page.ask(place);
  CHECK(before[0] == "#image=scene-test-1&model=hard&word=2");
  CHECK(before[1] == "cells");
  CHECK(before[4] == "2");

  replace(page, [](Json& data) {
    data["training"]["at"] = "epoch 2 of 9";
    for (Json& regime : data["images"][1]["models"][1]["regimes"])
      regime["words"][2]["text"] = "newer";
  });
  wait_long(page);
  REQUIRE(becomes(page, says("training: epoch 2 of 9, updated ")));
  CHECK(page.ask("window.before ?? null") == nullptr);
  CHECK(page.browser.becomes("JSON.stringify(" + place + ") === '" + before.dump() + "'"));
  CHECK(page.browser.becomes(str("Math.abs(", top, " - ", height, ") < 3")));
  CHECK(page.ask(card + ".querySelector(\".panel[data-model='1'] .word.on .text\").textContent") ==
        "newer");
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("a page does not load itself again when it shall not, or when the run has ended") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  open_training(page);
  page.browser.run("window.before = 1");
  page.browser.click("#training input");
  replace(page, [](Json& data) {
    data["training"]["state"] = "stopped";
    data["training"]["at"] = "epoch 2 of 9";
  });
  wait_long(page);
  // The page counts its own time once a second.
  REQUIRE(page.browser.becomes(says("updated 11 min ago")));
  CHECK(page.ask("window.before") == 1);
  page.browser.click("#training input");
  wait_long(page);  // after the click
  REQUIRE(becomes(page, says("training was stopped: epoch 2 of 9")));
  CHECK(page.ask("window.before ?? null") == nullptr);

  // Neither this page nor a finished report has a timer.
  page.browser.before_pages(
      "window.timers = 0; for (const name of ['setInterval', 'setTimeout']) { const real = "
      "window[name]; window[name] = (...all) => { ++window.timers; return real(...all); }; }");
  const auto timers = [&] { return page.ask("window.timers"); };
  page.change([](Json&) {});
  CHECK(timers() == 0);
  page.change([](Json& data) { data.erase("training"); });
  CHECK(timers() == 0);
  CHECK(page.ask("document.querySelector('#training')") == nullptr);
  open_training(page);
  CHECK(timers() == 1);
}

TEST_CASE("a page before the first validation has no captions, and gets them") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  open_training(page);
  const Json images = page.ask("JSON.parse(document.querySelector('#data').textContent)")["images"];
  replace(page, [](Json& data) { data["images"] = Json::array(); });
  wait_long(page);
  REQUIRE(becomes(page,
                  "document.querySelector('#subtitle').textContent.includes("
                  "'captions and maps come with the first validation')"));
  CHECK(page.ask("document.querySelectorAll('.card').length") == 0);
  replace(page, [&](Json& data) { data["images"] = images; });
  wait_long(page);
  CHECK(becomes(page, "document.querySelector('.card .word')"));
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

}  // namespace
}  // namespace saccade::test::follow_run_test
