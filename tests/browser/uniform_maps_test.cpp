// The entropy of the maps that a report's page shows, and which of them it calls uniform.
#include "core/io/base64.h"
#include "tests/browser/open_report.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;
using Page = OpenReport<SceneReport>;

TEST_CASE("numbers are those of the map that is shown, and a uniform map is faint") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    // Layer 0 is uniform. The heads of layer 1 attend to one cell.
    Json& json = caption_of(data, 2);
    std::vector<std::uint8_t> sharp(32, 0);
    sharp[5] = 255;
    const std::string flat = base64(std::vector<std::uint8_t>(32, 8)), peak = base64(sharp);
    json["packed"] = {{"low", 0}, {"high", 1}};
    for (Json& view : json["maps"])
      for (std::size_t i = 0; i < view["attention"].size(); ++i) {
        view["attention"][i] = view["layer"] == 0 ? flat : peak;
        view["entropy"][i] = view["layer"] == 0 ? 1 : 0;
        view["uniform"][i] = view["layer"] == 0;
      }
    for (Json& word : json["words"]) {
      word["attention"] = peak;
      word["entropy"] = 0;
      word["uniform"] = false;
    }
    json["nouns"] = {{{"word", 1},
                      {"boxes", Json::array({Json{0, 0, 0.5, 0.5}})},
                      {"hit", true},
                      {"centre", true}}};
  });
  page.browser.press("b");  // no boxes
  page.browser.hover(Page::word(2, 1));
  const auto readout = [&] {
    return page.ask("document.querySelector(\".card .panel[data-model='2'] .readout\").textContent")
        .get<std::string>();
  };
  const auto width = [&] {
    return page.ask("document.querySelector(\"" + Page::word(2, 1) +
                    " .entropy span\").style.width");
  };
  CHECK(readout().find("entropy 0.00 \u00b7 \u2713 on its object") != std::string::npos);
  CHECK(width() == "0%");
  page.browser.press("l");  // layer 0
  CHECK(readout().find("entropy 1.00 \u00b7 uniform") != std::string::npos);
  CHECK(readout().find("object") == std::string::npos);
  CHECK(width() == "100%");
  // The uniform map is faint even where full heat is the word's largest weight, which would be a
  // green of at least 0.7 * 255.
  page.browser.press("s");  // the caption's largest, the largest of all models
  page.browser.press("s");  // a fixed weight
  page.browser.press("s");  // the word's largest
  double green = 0;
  for (const Json& pixel : page.pixels(2, 4, 8)) green = std::max(green, pixel[1].get<double>());
  CHECK(green < 170);
}

TEST_CASE("whether a map is uniform is what the program wrote, as far as it did") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  // In bytes, the largest weight is three times the smallest; the entropy is above .99.
  std::vector<std::uint8_t> nearly(32, 20);
  nearly[0] = 10, nearly[31] = 30;
  const auto with = [&](const Json& says, int shown_word) {
    page.change([&](Json& data) {
      Json& json = caption_of(data, 2);
      json["packed"] = {{"low", 0}, {"high", 1}};
      for (Json& view : json["maps"]) {
        for (Json& map : view["attention"]) map = base64(nearly);
        view.erase("entropy");
        view.erase("uniform");
        if (!says.is_null()) view["uniform"] = Json(view["attention"].size(), says);
        if (!says.is_null()) view["entropy"] = Json(view["attention"].size(), 0.5);
      }
      for (Json& word : json["words"]) {
        word["attention"] = base64(nearly);
        word["entropy"] = 0.995;
        word.erase("uniform");
        if (!says.is_null()) word["uniform"] = says;
      }
    });
    page.browser.hover(Page::word(2, shown_word));
  };
  const auto readout = [&] {
    return page.ask("document.querySelector(\".card .panel[data-model='2'] .readout\").textContent")
        .get<std::string>();
  };
  const auto says_uniform = [&] { return readout().find("uniform") != std::string::npos; };
  with(true, 0);
  CHECK(says_uniform());
  with(false, 1);
  CHECK_FALSE(says_uniform());
  page.browser.press("h");  // head 0 of the last layer
  CHECK(readout().find("entropy 0.50") != std::string::npos);
  CHECK_FALSE(says_uniform());
  // A page that an older version wrote lacks both for views, and `uniform` for words.
  with(nullptr, 2);
  CHECK(says_uniform());
  page.browser.press("h");
  CHECK(readout().find("entropy 1.00 \u00b7 uniform") != std::string::npos);
}

}  // namespace
}  // namespace saccade::test
