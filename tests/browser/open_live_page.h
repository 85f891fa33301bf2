// What tests of the live page share: a soft, a hard and a transformer model behind a page of
// `saccade serve` that a browser shows.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/serve/live_captions.h"
#include "tests/browser/webdriver.h"
#include "tests/experiments/small_models.h"
#include "tests/experiments/small_run.h"
#include "tests/support/catch.h"
#include "tests/support/running_server.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {

inline constexpr Index kLimit = 200'000;

struct LivePage {
  TempFolder folder{"live-page"};
  SmallModels loaded;
  LiveCaptions captions;
  RunningServer server;
  Browser browser;

  // `before` is a script that runs in the page before its own, to change what the browser offers;
  // `occlusion_steps`: the most that the occlusion of a caption may take.
  explicit LivePage(const std::string& before = "", Index occlusion_steps = kOcclusionSteps)
      : loaded(write_runs()),
        captions(loaded.models(), encode_photo, occlusion_steps),
        server({.max_upload = kLimit}, captions.models_json(kLimit),
               [&](const CaptionRequest& request) {
                 return captions.caption_json(request.picture, request.search, request.features);
               }) {
    if (!before.empty()) browser.before_pages(before);
    browser.visit(server.url());
    REQUIRE(browser.becomes("document.querySelector('#models table')"));
  }

  std::vector<std::filesystem::path> write_runs() const {
    write_small_run(folder / "soft", small_experiment());
    write_small_run(folder / "hard", small_experiment("hard"));
    ExperimentConfig transformer = small_transformer();
    // Sharp maps, which differ by layer and head; uniform ones are all drawn alike.
    transformer.attention.temperature = Ramp::constant(0.02);
    write_small_run(folder / "transformer", transformer);
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
  nlohmann::json ask(const std::string& expression) {
    return nlohmann::json::parse(browser.run("return " + expression));
  }
  bool fails(const std::string& reason) {
    return browser.becomes(
        "document.querySelector('.uploads .failed:last-child')?.textContent"
        ".includes(" +
        nlohmann::json(reason).dump() + ")");
  }
};

}  // namespace saccade::test
