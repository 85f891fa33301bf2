// How far the maps of models differ, as the explorer says it and sorts by it.
#include <array>

#include "core/io/base64.h"
#include "tests/browser/open_report.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

// Gives each word of a caption the map of these bytes, whose scale is from 0 to 1.
void set_maps(Json& caption, const std::vector<std::uint8_t>& bytes) {
  caption["packed"] = {{"low", 0}, {"high", 1}};
  for (Json& word : caption["words"]) {
    word["attention"] = base64(bytes);
    word["entropy"] = 0.5;
    word["uniform"] = false;
  }
}

Json& own_caption(Json& data, std::size_t image, std::size_t m) {
  const std::string regime = data["models"][m]["regimes"][0];
  return data["images"][image]["models"][m]["regimes"][regime];
}

std::string summary(auto& page, const std::string& image) {
  return page.ask("document.querySelector(\".card[data-image='" + image +
                  "'] .card-summary\").textContent");
}

TEST_CASE("images are sorted by how far the maps of the same words differ") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<SceneReport> page;
  // The soft model has all weight on the first cell. Of the hard model's, a share has moved to the
  // next cell. The third model has no word in common with them.
  const std::array<int, 4> moved{51, 255, 0, 153};  // of 255
  page.change([&](Json& data) {
    for (std::size_t i = 0; i < moved.size(); ++i) {
      std::vector<std::uint8_t> one(32, 0), other(32, 0);
      one[0] = 255;
      other[0] = static_cast<std::uint8_t>(255 - moved[i]);
      other[1] = static_cast<std::uint8_t>(moved[i]);
      set_maps(own_caption(data, i, 0), one);
      own_caption(data, i, 1)["words"] = own_caption(data, i, 0)["words"];
      set_maps(own_caption(data, i, 1), other);
      for (Json& word : own_caption(data, i, 2)["words"]) word["text"] = "nothing";
    }
  });
  page.choose("Order", "apart");
  CHECK(page.ask("[...document.querySelectorAll('.card')].map((c) => "
                 "Number(c.dataset.image.slice(-1)))") == Json({1, 3, 0, 2}));
  for (int i = 0; i < 4; ++i) page.browser.press("j");  // cards are built when they come near
  REQUIRE(page.browser.becomes("document.querySelectorAll('.card .card-summary').length === 4"));
  CHECK(summary(page, "scene-test-1").find("maps of the same words by 1.00") != std::string::npos);
  CHECK(summary(page, "scene-test-3").find("maps of the same words by 0.60") != std::string::npos);
  CHECK(summary(page, "scene-test-2").find("maps of the same words by 0.00") != std::string::npos);
  CHECK(summary(page, "scene-test-1").find("words differ by 1.00") != std::string::npos);
  page.browser.press("3");
  CHECK(summary(page, "scene-test-1").find("words differ by 0.00") != std::string::npos);
  // A model by itself differs from none.
  page.browser.press("2");
  CHECK(summary(page, "scene-test-1").find("differ") == std::string::npos);
  CHECK(summary(page, "scene-test-1").find("same words") == std::string::npos);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("maps on different parts of a photo are compared where they lie on it") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<WideReport> page;
  // Both are even on what the network sees: the whole of the photo, and its middle half.
  page.change([](Json& data) {
    own_caption(data, 0, 1)["words"] = own_caption(data, 0, 0)["words"];
    for (std::size_t m = 0; m < 2; ++m)
      set_maps(own_caption(data, 0, m), std::vector<std::uint8_t>(64, 16));
  });
  CHECK(page.ask("document.querySelector('.card-summary').textContent")
            .get<std::string>()
            .find("maps of the same words by 0.50") != std::string::npos);
}

}  // namespace
}  // namespace saccade::test
