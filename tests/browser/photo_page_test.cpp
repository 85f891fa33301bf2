// The page of `saccade caption --page`: the explorer's card of a photo, in a file of its own.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "experiments/commands/caption.h"
#include "tests/browser/open_report.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

// A page of photos by the transformer, which has 2 layers of 2 heads. One photo has everything that
// a page can have, and several have what they have by default.
class PhotoPages : public WideReport {
 public:
  explicit PhotoPages(Index count = 1) {
    CaptionArgs args{.model = {.checkpoint = run(0).string()}};
    for (Index i = 0; i < count; ++i) args.images.push_back((folder() / (str(i, ".png"))).string());
    args.all_maps = args.occlusion = count == 1;
    args.page = page().string();
    std::ostringstream out;
    std::streambuf* before = std::cout.rdbuf(out.rdbuf());
    run_caption(args);
    std::cout.rdbuf(before);
  }
  std::filesystem::path page() const { return folder() / "photos.html"; }
};
struct TwoPhotos : PhotoPages {
  TwoPhotos() : PhotoPages(2) {}
};

TEST_CASE("the page of a photo shows its caption, all maps and effects, and requests nothing") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<PhotoPages> page;
  const Json data = page.ask("JSON.parse(document.querySelector('#data').textContent)");
  CHECK(page.ask("document.querySelector('#subtitle').textContent") ==
        "one picture, captioned by pad");
  CHECK(page.ask("[...document.querySelectorAll('.word .text')].map((e) => e.textContent)"
                 ".join(' ')") ==
        data["images"][0]["models"][0]["regimes"]["expectation"]["caption"]);
  CHECK(page.ask("[...document.querySelectorAll('#controls .field:not([hidden])')].map((f) => "
                 "f.firstChild.textContent)") ==
        Json::array({"Layer", "Head", "Drawn", "Weights", "Full heat is", "Map", "Photo"}));
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "0.png");
  // Where there is room, no select cuts its longest choice.
  page.browser.run("document.querySelector('[data-part=view]').open = true");
  CHECK(page.ask("[...document.querySelectorAll('#controls select')].filter((select) => {"
                 "const copy = select.cloneNode(true); copy.style.maxWidth = 'none';"
                 "copy.style.position = 'absolute'; select.parentNode.append(copy);"
                 "const cut = copy.offsetWidth > select.offsetWidth; copy.remove();"
                 "return select.offsetWidth > 0 && cut; }).length") == 0);
  CHECK(page.ask("document.querySelector('#controls select').offsetWidth > 0") == true);
  // A model by itself has the photo on the left, and beside it the caption and small maps of all
  // words.
  CHECK(page.ask("(() => { const right = document.querySelector('.photo').getBoundingClientRect()"
                 ".right; return ['.caption', '.strip'].every((part) => "
                 "document.querySelector(part).getBoundingClientRect().left >= right); })()") ==
        true);
  CHECK(page.ask("document.querySelectorAll('.small-map canvas').length") ==
        page.ask("document.querySelectorAll('.word').length"));
  page.browser.hover(OpenReport<PhotoPages>::word(0, 0));
  for (const char* key : {"l", "h", "e"}) {
    const Json before = page.pixels(0, 8, 16);
    page.browser.press(key);
    CHECK(page.pixels(0, 8, 16) != before);
  }
  CHECK(page.ask("performance.getEntriesByType('resource').map((entry) => entry.name)"
                 ".filter((name) => !name.startsWith('data:'))") == Json::array());
  page.browser.resize(390, 800);
  CHECK(page.browser.becomes("window.innerWidth === 390"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 390);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("a page of several photos has their cards, and offers no maps that it does not have") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TwoPhotos> page;
  CHECK(page.ask("document.querySelectorAll('.card').length") == 2);
  CHECK(page.ask("document.querySelector('#subtitle').textContent") ==
        "2 pictures, captioned by pad");
  const Json fields = page.ask(
      "[...document.querySelectorAll('#controls .field:not([hidden])')].map((f) => "
      "f.firstChild.textContent)");
  for (const char* name : {"Layer", "Head", "Drawn"})
    CHECK(std::find(fields.begin(), fields.end(), name) == fields.end());
  CHECK(std::find(fields.begin(), fields.end(), "Order") != fields.end());
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

}  // namespace
}  // namespace saccade::test
