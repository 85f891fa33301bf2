// What regions and words attend to (report --self-attention), as the explorer shows it.
#include "core/io/base64.h"
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"
#include "tests/experiments/small_run.h"

namespace saccade::test::self_attention_test {
namespace {

using Json = nlohmann::json;

// The report of a vision transformer with a decoder of transformers, and of a model whose regions
// do not attend to each other.
class SelfReport {
 public:
  SelfReport() {
    ExperimentConfig config = small_transformer();
    config.encoder.type = "vit";
    config.encoder.vit = {.width = 8, .layers = 2, .heads = 2, .patch = 8};
    config.search.min_length = 3;
    write_small_run(folder_ / "vit", config);
    ExperimentConfig plain = small_experiment();
    plain.search.min_length = 3;
    write_small_run(folder_ / "plain", plain);
    make_report({.runs = {(folder_ / "vit").string(), (folder_ / "plain").string()},
                 .out = page().string(),
                 .images = 2,
                 .self_attention = true});
  }
  std::filesystem::path page() const { return folder_ / "report.html"; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"self-report"};
};

struct Page : OpenReport<SelfReport> {
  void set(const std::string& label, const std::string& value) {
    browser.run(
        "const field = [...document.querySelectorAll('.field')].find((f) => "
        "f.firstChild.textContent === '" +
        label + "').lastChild; field.value = '" + value +
        "'; field.dispatchEvent(new Event('change'));");
  }
  std::string readout(int m) {
    return ask("document.querySelector(\".card .panel[data-model='" + std::to_string(m) +
               "'] .readout\").textContent");
  }
};

TEST_CASE("pointing at a region shows what it attends to") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  CHECK(page.ask("document.querySelector('#remarks').textContent")
            .get<std::string>()
            .find("MB of this file") != std::string::npos);
  // In layer 0, head 1, the region in row 1, column 2 gives all of its weight to the last region, a
  // quarter of the class token's goes to the first, and the others are even.
  page.change([](Json& data) {
    for (Json& map : data["images"][0]["models"][0]["self_attention"]["regions"]) {
      if (map["of"] != "encoder" || map["layer"] != 0 || map["head"] != 1) continue;
      REQUIRE(map["rows"] == 17);  // a class token before 16 regions
      map["low"] = Json(17, 0);
      map["high"] = Json(17, 1);
      std::vector<std::uint8_t> bytes(17 * 17, 15);
      std::fill_n(bytes.begin() + (1 + 6) * 17, 17, std::uint8_t{0});
      bytes[(1 + 6) * 17 + 16] = 255;
      bytes[1] = 64;
      map["weights"] = base64(bytes);
    }
  });
  page.browser.press("b");
  page.browser.press("c");
  page.set("Drawn", "given");
  page.set("Among regions", "encoder, layer 0, head 1");
  page.browser.hover(Page::canvas(0), 2.5 / 4, 1.5 / 4);
  CHECK(page.readout(0) ==
        "encoder, layer 0, head 1: the region in row 1, column 2 gives most to row 3, column 3: "
        "1.000; 0.000 to itself; 0.000 to tokens without a place");
  const Json given = page.pixels(0, 4, 4);
  const auto red = [](const Json& pixels, std::size_t cell) { return pixels[cell][0].get<int>(); };
  CHECK(red(given, 15) > red(given, 3) + 50);
  // The map stays when the pointer leaves the photo.
  page.browser.hover(".card:first-child .panel[data-model='0'] .readout");
  CHECK_THAT(page.readout(0), Catch::Contains("row 1, column 2"));
  page.browser.hover(Page::canvas(0), 3.5 / 4, 3.5 / 4);
  page.set("Drawn", "taken");
  CHECK(page.readout(0) ==
        "encoder, layer 0, head 1: the region in row 3, column 3 gets most from row 1, column 2: "
        "1.000; 0.059 to itself");
  page.set("Drawn", "token");
  CHECK(page.readout(0).find("encoder, layer 0, head 1: the class token gives most to row 0, "
                             "column 0: 0.251; ") == 0);
  // The other model has no such maps, and goes on showing its words'.
  page.browser.hover(Page::word(1, 1));
  CHECK(page.readout(1).find("p 0.") != std::string::npos);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("all layers and heads are seen at once, and one of them is chosen") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  // In the first map of words, the third word gives .2 to the start and .8 to the first word. In
  // layer 0, head 1, the region in row 1, column 2 gives all of its weight to the last region.
  page.change([](Json& data) {
    Json& self = data["images"][0]["models"][0]["self_attention"];
    Json& words = self["words"][0];
    const auto count = words["rows"].get<std::size_t>();
    words["low"] = Json(count, 0);
    words["high"] = Json(count, 1);
    std::vector<std::uint8_t> bytes(count * count, 0);
    bytes[2 * count + 0] = 51, bytes[2 * count + 1] = 204;
    words["weights"] = base64(bytes);
    for (Json& map : self["regions"]) {
      if (map["of"] != "encoder" || map["layer"] != 0 || map["head"] != 1) continue;
      map["low"] = Json(17, 0);
      map["high"] = Json(17, 1);
      std::vector<std::uint8_t> rows(17 * 17, 15);
      std::fill_n(rows.begin() + (1 + 6) * 17, 17, std::uint8_t{0});
      rows[(1 + 6) * 17 + 16] = 255;
      map["weights"] = base64(rows);
    }
  });
  const Json maps = page.ask(
      "JSON.parse(document.querySelector('#data').textContent).images[0].models[0]"
      ".self_attention");
  const std::string own = ".card .panel[data-model='0'] [data-part=self]";
  CHECK(page.ask("document.querySelector(\".card .panel[data-model='1'] [data-part=self]\")") ==
        nullptr);
  page.browser.click(own + " summary");
  const auto matrices = [&](const char* part) {
    return page.ask("document.querySelectorAll(\"" + own + " [aria-label='maps of " + part +
                    "'] .small-matrix\").length");
  };
  REQUIRE(page.browser.becomes("document.querySelector(\"" + own + " .region-matrix\")"));
  CHECK(matrices("regions") == maps["regions"].size());
  CHECK(matrices("words") == maps["words"].size());

  // A click on a small matrix draws that map, and pointing at a row shows what the region attends
  // to.
  page.browser.click(own + " [title='encoder, layer 0, head 1']");
  CHECK(page.ask("document.querySelector('.card .map-name').textContent") ==
        ", what a region attends to");
  CHECK(page.ask("document.querySelector(\"" + own +
                 " [title='encoder, layer 0, head 1']\").getAttribute('aria-pressed')") == "true");
  page.browser.hover(own + " .region-matrix", 16.5 / 17, 7.5 / 17);
  CHECK(page.ask("document.querySelector(\"" + own + " .self-line\").textContent") ==
        "row 1, column 2 \u2192 row 3, column 3: 1.000");
  CHECK(
      page.readout(0).find("encoder, layer 0, head 1: the region in row 1, column 2 gives most to "
                           "row 3, column 3: 1.000") == 0);
  page.browser.hover(own + " .region-matrix", 0.5 / 17, 0.5 / 17);
  CHECK(page.ask("document.querySelector(\"" + own + " .self-line\").textContent")
            .get<std::string>()
            .find("the class token \u2192 the class token: ") == 0);

  // Pointing at a word leaves the lines of that word alone, which are as strong as its weights.
  page.set("Drawn", "read");
  page.browser.hover(Page::word(0, 2));
  CHECK(page.ask("[...document.querySelectorAll(\"" + own +
                 " line:not(.faint)\")].map((l) => l.getAttribute('stroke-opacity'))") ==
        Json({"0.200", "0.800", "0.000"}));
  page.browser.hover(own + " .word-lines .from");
  CHECK(page.ask("document.querySelectorAll(\"" + own + " line:not(.faint)\").length") == 1);
  CHECK(page.ask("document.querySelector(\"" + Page::word(0, 0) + "\").matches('.on')") == true);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
  page.browser.resize(360, 740);
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
}

TEST_CASE("the map of a word is rolled out through the encoder") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  // All regions come from the last one.
  page.change([](Json& data) {
    Json& map = data["images"][0]["models"][0]["self_attention"]["regions"][0];
    REQUIRE(map["of"] == "rollout");
    map["low"] = Json(17, 0);
    map["high"] = Json(17, 1);
    std::vector<std::uint8_t> bytes(17 * 17, 0);
    for (std::size_t row = 0; row < 17; ++row) bytes[row * 17 + 16] = 255;
    map["weights"] = base64(bytes);
  });
  page.set("Drawn", "rolled");
  page.browser.hover(Page::word(0, 1));
  const std::string word =
      page.ask("document.querySelector(\"" + Page::word(0, 1) + " .text\").textContent");
  CHECK(page.readout(0).find("rollout: " + word + " gives most to row 3, column 3: ") == 0);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("pointing at a word shows which words it attends to, and all of it fits a phone") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  page.change([](Json& data) {
    for (Json& map : data["images"][0]["models"][0]["self_attention"]["words"]) {
      const auto words = map["rows"].get<std::size_t>();
      REQUIRE(words >= 3);
      map["low"] = Json(words, 0);
      map["high"] = Json(words, 1);
      std::vector<std::uint8_t> bytes(words * words, 0);
      bytes[2 * words + 0] = 51, bytes[2 * words + 1] = 204;  // <bos>, the first word
      map["weights"] = base64(bytes);
    }
  });
  page.set("Drawn", "read");
  page.browser.hover(Page::word(0, 2));
  CHECK(page.readout(0).find("attends to the start 0.20, ") != std::string::npos);
  CHECK(page.readout(0).find(" 0.80, ") != std::string::npos);
  CHECK(page.ask("document.querySelector(\"" + Page::word(0, 0) + "\").matches('.lit')") == true);
  CHECK(page.ask("document.querySelector(\"" + Page::word(0, 1) + "\").matches('.lit')") == false);
  for (const char* view : {"read", "given"}) {
    page.set("Drawn", view);
    page.browser.resize(360, 740);
    CHECK(page.browser.becomes("window.innerWidth === 360"));
    CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  }
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

}  // namespace
}  // namespace saccade::test::self_attention_test
